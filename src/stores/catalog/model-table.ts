/** A row of `models`: what an operator has declared, as JSON. Its state is the one that was last announced. */
export interface ModelTable {
  id: string;
  declared: string;
  created_at_ms: number;
  archived_at_ms: number | null;
}
