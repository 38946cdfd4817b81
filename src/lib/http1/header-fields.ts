/** The headers of a message, found by their names in lower case. The standard's `Headers` are such, and dearer. */
export interface HeaderFields {
  get(name: string): string | null;
  has(name: string): boolean;
}
