/** What is asked of the headers of a reply. `Headers` has it too. */
export interface HeadersRead {
  /** By its name in small letters. */
  get(name: string): string | null;
  has(name: string): boolean;
}
