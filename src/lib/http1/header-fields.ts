/** The headers of a message, by names in lower case. Standard `Headers` implement it, at a higher cost. */
export interface HeaderFields {
  get(name: string): string | null;
  has(name: string): boolean;
}
