import type { SavedView } from "../../access/saved-view.ts";

/** A row of `saved_views`. */
export interface SavedViewTable {
  id: string;
  person_id: string;
  name: string;
  page: string;
  query: string;
  created_at_ms: number;
}

export function toRow({ id, personId, name, page, query, createdAtMs }: SavedView): SavedViewTable {
  return { id, person_id: personId, name, page, query, created_at_ms: createdAtMs };
}

export function fromRow({ id, person_id: personId, name, page, query, created_at_ms: createdAtMs }: SavedViewTable): SavedView {
  return { id, personId, name, page, query, createdAtMs };
}
