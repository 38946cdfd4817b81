import type { Announcement, ModelState } from "../../../models/catalog.ts";
import type { Change } from "../../../access/change.ts";

/** The announcement of a model's new state. */
export function announcementOf(model: string, state: ModelState, { atMs, actor, actorName }: Change): Announcement {
  return { model, state, atMs, actor, actorName };
}
