import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findOneself } from "../me/find-own.ts";
import { describeSavedView, existingOf, savedViewSchema, viewSavedView } from "./saved-view-view.ts";

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
