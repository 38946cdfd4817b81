import type { RecordedAnnouncement } from "../../../stores/catalog/catalog-store.ts";
import { members } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { viewTime } from "../fields/times.ts";
import { textOf } from "./announcement-view.ts";
import { findAnnouncements } from "./find-announcements.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const PATH = "/api/changelog.atom";

/** The number of entries. Feed readers poll often enough not to miss any. */
const MOST = 100;

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
      const announcements = await findAnnouncements(actor, { before: Number.MAX_SAFE_INTEGER, count: MOST }, platform);
      return new Reply(writeFeed(announcements, `${platform.publicUrl()}${PATH}`), {
        headers: { "content-type": "application/atom+xml; charset=utf-8" },
      });
    },
  });
}

/**
 * The feed's URL is its id and the prefix of its entries' ids, because a reader may follow several gateways. Entry ids name the model,
 * the state and the time: a number would reveal how many announcements concern models that the reader may not see.
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
