import type { Make, Recorded, Update } from "../../access/change.ts";
import type { SavedView } from "../../access/saved-view.ts";

/**
 * Pages of the console that people have saved. Writes throw `StorageUnavailable` while the database cannot be written; nothing has changed
 * then. `make` may be called more than once, and may list the views.
 */
export interface SavedViewStore {
  /** The view with this id, of whichever person. Served from memory. */
  find(id: string): SavedView | undefined;
  /** A person's views, by name. Served from memory; there are few, so there are no pages. */
  listOf(personId: string): readonly SavedView[];
  /** Changes a view, or adds the one that `make` returns for an unknown id. In force and durable when this resolves. */
  update<Made extends Update<SavedView> | undefined>(id: string, make: Make<SavedView, Made>): Promise<Made>;
  /** Deletes a view, where `make` returns its change for the audit log. Durable when this resolves. */
  remove<Made extends Recorded | undefined>(id: string, make: Make<SavedView, Made>): Promise<Made>;
}
