import { makeSavedView } from "../../../access/saved-view.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findOneself } from "../me/find-own.ts";
import { describeSavedView, existingOf, refuseUnfit, savedViewFields, savedViewSchema, viewSavedView } from "./saved-view-view.ts";

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
