import { MAX_SAVED_VIEWS, type SavedView, makeSavedView } from "../../access/saved-view.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Platform } from "../platform.ts";
import { timeSchema, viewTime, unknownId } from "./fields.ts";
import { operation, type Operation } from "../operation.ts";
import { findOneself } from "./me.ts";

/** The fields that a person can set. */
const savedViewFields = {
  name: { ...nameSchema, description: "The name of the view." },
  page: {
    type: "string",
    maxLength: 300,
    // Exactly one slash: two slashes would start the URL of another site. URLs are printable ASCII.
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

const savedViewSchema = {
  title: "SavedView",
  type: "object",
  required: ["id", "name", "page", "query", "created_at"],
  properties: { id: { type: "string" }, ...savedViewFields, created_at: timeSchema },
} as const satisfies Schema;

function viewSavedView({ id, name, page, query, createdAtMs }: SavedView) {
  return { id, name, page, query, created_at: viewTime(createdAtMs) };
}

/** For the audit log, which must not contain end users: the filters are omitted because they may contain one. */
function describeSavedView({ id, name, page }: SavedView) {
  return { id, name, page };
}

/** One of the person's views. Another person's view is reported as not found. */
function existingOf(personId: string, view: SavedView | undefined, id: string): SavedView {
  if (view?.personId === personId) return view;
  throw unknownId("unknown_view", "saved view", id);
}

/** A name must be unique per person, and the number of views is limited. */
function refuseUnfit(view: SavedView, { savedViews }: Platform): void {
  const others = savedViews.listOf(view.personId).filter(({ id }) => id !== view.id);
  if (others.some(({ name }) => name === view.name)) {
    throw new ApiError("already_exists", "You have a saved view with this name.", { param: "name" });
  }
  if (others.length >= MAX_SAVED_VIEWS) throw new ApiError("already_exists", `You have ${MAX_SAVED_VIEWS} saved views. Delete one first.`);
}

/** POST /api/me/views: saves a page of the console with its filters. */
export function createView(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/me/views",
    access: "session",
    operationId: "createView",
    summary: "Save a page of the console with its filters under a name",
    body: {
      title: "CreateViewRequest",
      type: "object",
      additionalProperties: false,
      required: ["name", "page", "query"],
      properties: savedViewFields,
    },
    reply: { status: 201, description: "The saved view.", json: savedViewSchema },
    async run({ actor, body, change }) {
      const { id: personId, accountId } = findOneself(actor, platform);
      const view = makeSavedView({ personId, ...body }, platform.nowMs());
      await platform.savedViews.update(view.id, () => {
        refuseUnfit(view, platform);
        const what = { before: null, after: describeSavedView(view), accountId };
        return { record: view, change: change("saved_view.create", { kind: "saved_view", id: view.id }, what) };
      });
      return viewSavedView(view);
    },
    showCreated: (id, { actor }) => viewSavedView(existingOf(findOneself(actor, platform).id, platform.savedViews.find(id), id)),
  });
}

/** GET /api/me/views: the person's saved views. There are few, so there are no pages. */
export function listViews(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/me/views",
    access: "session",
    operationId: "listViews",
    summary: "List your saved views by name",
    reply: {
      status: 200,
      description: "Your saved views.",
      json: {
        title: "SavedViewList",
        type: "object",
        required: ["data"],
        properties: { data: { type: "array", items: savedViewSchema } },
      },
    },
    async run({ actor }) {
      return { data: platform.savedViews.listOf(findOneself(actor, platform).id).map(viewSavedView) };
    },
  });
}

/** PATCH /api/me/views/:id: renames a saved view, or saves another page or other filters in it. */
export function updateView(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/me/views/:id",
    access: "session",
    operationId: "updateView",
    summary: "Update a saved view. Only the given fields change.",
    body: { title: "UpdateViewRequest", type: "object", additionalProperties: false, properties: savedViewFields },
    reply: { status: 200, description: "The updated view.", json: savedViewSchema },
    async run({ actor, body, param, change }) {
      const id = param("id");
      const { id: personId, accountId } = findOneself(actor, platform);
      const { record } = await platform.savedViews.update(id, (current) => {
        const view = existingOf(personId, current, id);
        const changed: SavedView = { ...view, ...body };
        refuseUnfit(changed, platform);
        const what = { before: describeSavedView(view), after: describeSavedView(changed), accountId };
        return { record: changed, change: change("saved_view.update", { kind: "saved_view", id }, what) };
      });
      return viewSavedView(record);
    },
  });
}

/** DELETE /api/me/views/:id: deletes a saved view. */
export function removeView(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/me/views/:id",
    access: "session",
    operationId: "removeView",
    summary: "Delete a saved view",
    reply: { status: 200, description: "The deleted view.", json: savedViewSchema },
    async run({ actor, param, change }) {
      const id = param("id");
      const { id: personId, accountId } = findOneself(actor, platform);
      const { removed } = await platform.savedViews.remove(id, (current) => {
        const view = existingOf(personId, current, id);
        const what = { before: describeSavedView(view), after: null, accountId };
        return { removed: view, change: change("saved_view.remove", { kind: "saved_view", id }, what) };
      });
      return viewSavedView(removed);
    },
  });
}
