import type { RecordedAnnouncement } from "../../stores/catalog/catalog-store.ts";
import { type Actor, members } from "../../access/access.ts";
import type { Announcement } from "../../models/catalog.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { timeSchema, viewTime } from "./fields.ts";
import { viewState } from "../../models/declared-model.ts";
import { stateSchemas } from "./model-view.ts";
import type { Platform } from "../platform.ts";
import { maySeeAnnouncements } from "./find-resource.ts";
import { operation, type Operation } from "../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../paging.ts";
import { Reply } from "../../lib/http1/server/reply.ts";

const announcementSchema = {
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

function viewAnnouncement(announcement: RecordedAnnouncement, actor: Actor) {
  const { id, atMs, model, state, actorName } = announcement;
  const view = { at: viewTime(atMs), model, ...viewState(state), text: textOf(announcement) };
  return actor.role === "operator" ? { id, ...view, by: actorName } : view;
}

/** The announcement as a sentence. */
function textOf({ model, state }: Announcement): string {
  if (state.name === "available") return `The model ${model} is available.`;
  if (state.name === "retired") return `The model ${model} was retired. Use ${state.replacement} instead.`;
  return `The model ${model} is deprecated and will be retired on ${state.shutdownDate}. Use ${state.replacement} instead.`;
}

const BATCH = 200;

interface AnnouncementQuery {
  readonly before: number;
  readonly count: number;
  /** Restricts the list to one model. */
  readonly model?: string | undefined;
}

/** The announcements that the actor may see, before the given one, newest first. */
async function findAnnouncements(
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

const PATH = "/api/changelog.atom";

/** The number of entries. Feed readers poll often enough not to miss any. */
const MAX_ENTRIES = 100;

/** GET /api/changelog.atom: the newest announcements as an Atom feed, RFC 4287. */
export function showFeed(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: PATH,
    access: members("models:read"),
    operationId: "showFeed",
    summary: "Get the newest model announcements as an Atom feed",
    reply: { status: 200, description: "An Atom feed, `application/atom+xml`.", others: { "application/atom+xml": { type: "string" } } },
    async run({ actor }) {
      const announcements = await findAnnouncements(actor, { before: Number.MAX_SAFE_INTEGER, count: MAX_ENTRIES }, platform);
      return new Reply(writeFeed(announcements, `${platform.publicUrl()}${PATH}`), {
        headers: { "content-type": "application/atom+xml; charset=utf-8" },
      });
    },
  });
}

/**
 * The feed's URL is its ID and the prefix of its entries' IDs, because a reader may follow several gateways. Entry IDs consist of the
 * model, the state and the time: a number would reveal how many announcements are about models that the reader may not see.
 */
function writeFeed(announcements: readonly RecordedAnnouncement[], address: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${escapeXml(address)}</id>
  <title>Models</title>
  <author><name>Tollgate</name></author>
  <link rel="self" href="${escapeXml(address)}"/>
  <updated>${viewTime(announcements[0]?.atMs ?? 0)}</updated>
${announcements.map((each) => writeEntry(each, address)).join("")}</feed>
`;
}

function writeEntry(announcement: RecordedAnnouncement, address: string): string {
  const { model, state, atMs } = announcement;
  return `  <entry>
    <id>${escapeXml(address)}#${encodeURIComponent(model)}/${state.name}/${atMs}</id>
    <title>${escapeXml(titleOf(announcement))}</title>
    <updated>${viewTime(atMs)}</updated>
    <summary>${escapeXml(textOf(announcement))}</summary>
  </entry>
`;
}

/** The title includes the shutdown date: a deprecation is announced again when that date changes. */
function titleOf({ model, state }: RecordedAnnouncement): string {
  return state.name === "deprecated" ? `${model} is deprecated and will be retired on ${state.shutdownDate}` : `${model} is ${state.name}`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
