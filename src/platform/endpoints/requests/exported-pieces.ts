import type { Actor } from "../../../access/access.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../../access/request-export.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { LoggedRequest } from "../../../requests/logged-request.ts";
import type { MirrorResult } from "../../../requests/mirror-result.ts";
import type { RequestFilter } from "../../../stores/request-log/request-log-store.ts";
import type { Platform } from "../../platform.ts";
import { mirrorsFor } from "./mirror-view.ts";
import { csvHeader, csvLineOf } from "./request-columns.ts";
import { viewRequest } from "./request-view.ts";

/** The number of requests per slice: one or two milliseconds during which nothing else can run. */
const ROWS_AT_ONCE = 200;

const MEDIA_TYPES = { csv: "text/csv; charset=utf-8; header=present", jsonl: "application/x-ndjson" } as const;

export const formatSchema = {
  type: "string",
  enum: EXPORT_FORMATS,
  description: "`csv` (default), or `jsonl` for one JSON object per line.",
} as const satisfies Schema;

/** A part of an export: whole lines, with the number of requests in them. */
export interface ExportedPiece {
  readonly text: string;
  readonly rows: number;
}

/** An export of the requests that match, oldest first. Without a filter there are none. `rest` waits between slices, while requests are served. */
export async function* exportedPieces(
  filter: RequestFilter | undefined,
  format: ExportFormat,
  actor: Actor,
  platform: Platform,
  rest: () => Promise<void>,
): AsyncGenerator<ExportedPiece, void> {
  if (format === "csv") yield { text: csvHeader(actor.role), rows: 0 };
  const toLine = (request: LoggedRequest, mirrors: ReadonlyMap<string, MirrorResult>): string =>
    format === "csv"
      ? csvLineOf({ request, mirror: mirrors.get(request.requestId) }, actor.role, platform)
      : `${JSON.stringify(viewRequest(request, actor, platform, mirrors))}\n`;
  if (!filter) return;
  const { requestLog } = platform;
  for (let page = await requestLog.list(filter, undefined, "newer", ROWS_AT_ONCE); page.length > 0;) {
    const requests = page.map(({ request }) => request);
    const mirrors = await mirrorsFor(actor, requests, platform);
    yield { text: requests.map((request) => toLine(request, mirrors)).join(""), rows: page.length };
    await rest();
    page = await requestLog.list(filter, page.at(-1)!.position, "newer", ROWS_AT_ONCE);
  }
}

/** The filter without requests that end later: an export has an end while new ones arrive. */
export function until(nowMs: number, filter: RequestFilter | undefined): RequestFilter | undefined {
  return filter && { ...filter, toMs: Math.min(filter.toMs ?? nowMs, nowMs) };
}

export function fileHeaders(format: ExportFormat, atMs: number): Record<string, string> {
  return {
    "content-type": MEDIA_TYPES[format],
    "content-disposition": `attachment; filename="requests-${new Date(atMs).toISOString().slice(0, 10)}.${format}"`,
  };
}
