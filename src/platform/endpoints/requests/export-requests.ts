import type { RequestFilter } from "../../../stores/request-log/request-log-store.ts";
import { members, type Actor } from "../../../access/access.ts";
import type { LoggedRequest } from "../../../requests/logged-request.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { TextStream } from "../../text-stream.ts";
import { csvHeader, csvLineOf } from "./request-columns.ts";
import { readRequestFilter, requestQuery, type RequestQuery } from "./request-filter.ts";
import { viewRequest } from "./request-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

interface ExportQuery extends RequestQuery {
  readonly format?: "csv" | "jsonl";
}

/** The number of requests per slice: one or two milliseconds during which nothing else can run. */
const ROWS_AT_ONCE = 200;
/** The pause between slices, about as long as a slice takes, so that a busy export leaves half a core to requests. */
const REST_MS = 2;

const MEDIA_TYPES = { csv: "text/csv; charset=utf-8; header=present", jsonl: "application/x-ndjson" } as const;

/** GET /api/requests/export: all requests of the list in one file, oldest first. */
export function exportRequests(platform: Platform): Operation {
  return operation<undefined, ExportQuery>({
    method: "GET",
    path: "/api/requests/export",
    access: members("usage:read"),
    operationId: "exportRequests",
    summary: "Export requests as a file, oldest first, without a limit on their number",
    query: {
      format: { type: "string", enum: ["csv", "jsonl"], description: "`csv` (default), or `jsonl` for one JSON object per line." },
      ...requestQuery,
    },
    reply: {
      status: 200,
      description:
        "The file. In CSV (RFC 4180) the first line has the column names, and text that a spreadsheet would take for a formula starts with an apostrophe. A connection that is cut off leaves an incomplete file.",
      headers: { "Content-Disposition": { type: "string", description: "The file name." } },
      others: { "text/csv": { type: "string" }, "application/x-ndjson": { type: "string" } },
    },
    run({ actor, query, exchange }) {
      const { format = "csv" } = query;
      const filter = readRequestFilter(query, actor, platform);
      const nowMs = platform.nowMs();
      const pieces = piecesOf(filter && { ...filter, toMs: Math.min(filter.toMs ?? nowMs, nowMs) }, format, actor, platform);
      const headers = {
        "content-type": MEDIA_TYPES[format],
        "content-disposition": `attachment; filename="requests-${new Date(nowMs).toISOString().slice(0, 10)}.${format}"`,
      };
      return new Reply(new TextStream(pieces, exchange), { headers });
    },
  });
}

async function* piecesOf(
  filter: RequestFilter | undefined,
  format: "csv" | "jsonl",
  actor: Actor,
  platform: Platform,
): AsyncGenerator<string, void> {
  if (format === "csv") yield csvHeader(actor.role);
  const toLine = (request: LoggedRequest): string =>
    format === "csv" ? csvLineOf(request, actor.role, platform) : `${JSON.stringify(viewRequest(request, actor, platform))}\n`;
  if (filter) for await (const requests of pagesOf(filter, platform)) yield requests.map(toLine).join("");
}

async function* pagesOf(filter: RequestFilter, { requestLog }: Platform): AsyncGenerator<readonly LoggedRequest[], void> {
  for (let page = await requestLog.list(filter, undefined, "newer", ROWS_AT_ONCE); page.length > 0;) {
    yield page.map(({ request }) => request);
    await Bun.sleep(REST_MS);
    page = await requestLog.list(filter, page.at(-1)!.position, "newer", ROWS_AT_ONCE);
  }
}
