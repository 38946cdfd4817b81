import type { RecordedAnnouncement } from "../../../stores/catalog/catalog-store.ts";
import type { Actor } from "../../../access/access.ts";
import type { Announcement } from "../../../models/catalog.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema, viewTime } from "../fields/times.ts";
import { viewState } from "../../../models/declared-model.ts";
import { stateSchemas } from "../models/model-view.ts";

export const announcementSchema = {
  title: "Announcement",
  type: "object",
  required: ["at", "model", "state", "shutdown_date", "replacement", "text"],
  properties: {
    id: { type: "integer", description: "The sequence number over all models. Shown to operators." },
    at: timeSchema,
    model: { type: "string" },
    ...stateSchemas,
    text: { type: "string", description: "The announcement as a sentence." },
    by: { type: "string", description: "The actor who decided it. Shown to operators." },
  },
} as const satisfies Schema;

export function viewAnnouncement(announcement: RecordedAnnouncement, actor: Actor) {
  const { id, atMs, model, state, actorName } = announcement;
  const view = { at: viewTime(atMs), model, ...viewState(state), text: textOf(announcement) };
  return actor.role === "operator" ? { id, ...view, by: actorName } : view;
}

/** The announcement as a sentence. */
export function textOf({ model, state }: Announcement): string {
  if (state.name === "available") return `The model ${model} is available.`;
  if (state.name === "retired") return `The model ${model} was retired. Use ${state.replacement} instead.`;
  return `The model ${model} is deprecated and will be retired on ${state.shutdownDate}. Use ${state.replacement} instead.`;
}
