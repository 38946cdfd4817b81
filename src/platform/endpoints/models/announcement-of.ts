import type { Announcement, ModelState } from "../../../models/catalog.ts";
import type { Change } from "../../../access/change.ts";

/** Tells of the state that a change brings a model to. */
export function announcementOf(model: string, state: ModelState, { atMs, actor, actorName }: Change): Announcement {
  return { model, state, atMs, actor, actorName };
}
