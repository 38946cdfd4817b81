import type { RecordedAnnouncement } from "../../../stores/catalog/catalog-store.ts";
import type { Actor } from "../../../access/access.ts";
import type { Platform } from "../../platform.ts";
import { maySeeAnnouncements } from "../models/find-model.ts";

const BATCH = 200;

interface AnnouncementQuery {
  readonly before: number;
  readonly count: number;
  /** Restricts the list to one model. */
  readonly model?: string | undefined;
}

/** The announcements that the actor may see, before the given one, newest first. */
export async function findAnnouncements(
  actor: Actor,
  { before, count, model: only }: AnnouncementQuery,
  platform: Platform,
): Promise<readonly RecordedAnnouncement[]> {
  const found: RecordedAnnouncement[] = [];
  for (let place = before; found.length < count;) {
    const batch = await platform.catalog.announcements(place, BATCH, only);
    found.push(...batch.filter(({ model }) => maySeeAnnouncements(model, actor, platform)));
    if (batch.length < BATCH) break;
    place = batch.at(-1)!.id;
  }
  return found.slice(0, count);
}
