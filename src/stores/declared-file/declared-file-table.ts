/** The one row of `declared_file`, which only a shared database has. Its content is encrypted. */
export interface DeclaredFileTable {
  single: number;
  digest: string;
  content: string;
  declared_by: string;
}
