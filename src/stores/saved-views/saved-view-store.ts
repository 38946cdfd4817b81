import type { MakeChange, AuditedChange, Update } from "../../access/change.ts";
import type { SavedView } from "../../access/saved-view.ts";

/**
 * Pages of the console that people have saved. While the database cannot be written, writes throw `StorageUnavailable` and change nothing.
 * `make` may be called more than once, and may list the views.
 */
export interface SavedViewStore {
  /** The view with this id, of any person. Served from memory. */
  find(id: string): SavedView | undefined;
  /** A person's views, by name. Served from memory. There are few, so the list has no pages. */
  listOf(personId: string): readonly SavedView[];
  /** Changes a view, or adds the view that `make` returns for an unknown id. The change is in force and durable when this resolves. */
  update<Made extends Update<SavedView> | undefined>(id: string, make: MakeChange<SavedView, Made>): Promise<Made>;
  /** Deletes a view if `make` returns a change for the audit log. Durable when this resolves. */
  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<SavedView, Made>): Promise<Made>;
}
