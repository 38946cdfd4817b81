/** Read access to response headers; a subset of `Headers`. */
export interface HeadersRead {
  /** Returns a header by its lower-case name. */
  get(name: string): string | null;
  has(name: string): boolean;
}
