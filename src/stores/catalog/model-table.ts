/** A row of `models`: an operator's declaration, as JSON. The last announcement has the model's state. */
export interface ModelTable {
  id: string;
  declared: string;
  created_at_ms: number;
  archived_at_ms: number | null;
}
