import { randomBase62 } from "../lib/text/base62.ts";

/** A page of the console with its filters, saved by a person under a name. */
export interface SavedView {
  readonly id: string;
  readonly personId: string;
  readonly name: string;
  /** The path of the page, such as `/requests`. */
  readonly page: string;
  /** The query string of the page, without the question mark. */
  readonly query: string;
  readonly createdAtMs: number;
}

/** Per person. */
export const MAX_SAVED_VIEWS = 100;

export function makeSavedView(wanted: Pick<SavedView, "personId" | "name" | "page" | "query">, nowMs: number): SavedView {
  return { id: `view_${randomBase62(12)}`, ...wanted, createdAtMs: nowMs };
}
