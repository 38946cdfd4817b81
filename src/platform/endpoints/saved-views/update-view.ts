import type { SavedView } from "../../../access/saved-view.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findOneself } from "../me/find-own.ts";
import { describeSavedView, existingOf, refuseUnfit, savedViewFields, savedViewSchema, viewSavedView } from "./saved-view-view.ts";

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
