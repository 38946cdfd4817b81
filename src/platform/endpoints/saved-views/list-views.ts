import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findOneself } from "../me/find-own.ts";
import { savedViewSchema, viewSavedView } from "./saved-view-view.ts";

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
