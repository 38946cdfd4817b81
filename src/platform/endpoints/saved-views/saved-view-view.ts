import { MAX_SAVED_VIEWS, type SavedView } from "../../../access/saved-view.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Platform } from "../../platform.ts";
import { timeSchema, viewTime } from "../fields/times.ts";
import { unknownId } from "../fields/unknown-id.ts";

/** The fields that a person chooses. */
export const savedViewFields = {
  name: { ...nameSchema, description: "The name of the view." },
  page: {
    type: "string",
    maxLength: 300,
    // One slash: two would be the start of another site's address. URLs are printable ASCII.
    pattern: '^/(?![/\\\\])[!"$->@-~]*$',
    patternInWords: "the path of a page, such as /requests",
    description: "The path of a page of the console, such as `/requests`.",
  },
  query: {
    type: "string",
    maxLength: 2000,
    pattern: '^[!"$->@-~][!"$-~]*$|^$',
    patternInWords: "a query string without a question mark, such as outcome=failed",
    description: "The query string of the page, without the question mark, such as `outcome=failed`.",
  },
} as const satisfies Record<string, Schema>;

export const savedViewSchema = {
  title: "SavedView",
  type: "object",
  required: ["id", "name", "page", "query", "created_at"],
  properties: { id: { type: "string" }, ...savedViewFields, created_at: timeSchema },
} as const satisfies Schema;

export function viewSavedView({ id, name, page, query, createdAtMs }: SavedView) {
  return { id, name, page, query, created_at: viewTime(createdAtMs) };
}

/** For the audit log, which must not name end users: a filter may do so. */
export function describeSavedView({ id, name, page }: SavedView) {
  return { id, name, page };
}

/** One of the person's views. Another person's is reported as not found. */
export function existingOf(personId: string, view: SavedView | undefined, id: string): SavedView {
  if (view?.personId === personId) return view;
  throw unknownId("unknown_view", "saved view", id);
}

/** A name occurs once per person, and there is a limit of views. */
export function refuseUnfit(view: SavedView, { savedViews }: Platform): void {
  const others = savedViews.listOf(view.personId).filter(({ id }) => id !== view.id);
  if (others.some(({ name }) => name === view.name)) {
    throw new ApiError("already_exists", "You have a saved view with this name.", { param: "name" });
  }
  if (others.length >= MAX_SAVED_VIEWS) throw new ApiError("already_exists", `You have ${MAX_SAVED_VIEWS} saved views. Delete one first.`);
}
