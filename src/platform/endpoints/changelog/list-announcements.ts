import { members } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { announcementSchema, viewAnnouncement } from "./announcement-view.ts";
import { findAnnouncements } from "./find-announcements.ts";

/** GET /api/changelog: a page of model announcements, newest first. */
export function listAnnouncements(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/changelog",
    access: members("models:read"),
    operationId: "listAnnouncements",
    summary: "List model announcements, newest first",
    query: { model: { type: "string", description: "Announcements of one model." }, ...pageQuery },
    reply: { status: 200, description: "A page of announcements.", json: pageSchema("AnnouncementPage", announcementSchema) },
    async run({ actor, query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["number"]);
      const sought = { before: after?.[0] ?? Number.MAX_SAFE_INTEGER, count: limit + 1, model: query.model };
      const announcements = await findAnnouncements(actor, sought, platform);
      return toPage(
        cursors,
        announcements,
        limit,
        (announcement) => viewAnnouncement(announcement, actor),
        ({ id }) => [id],
      );
    },
  });
}
