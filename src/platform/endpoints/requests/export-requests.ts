import { members } from "../../../access/access.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";
import { operation, type Operation, type SuccessContract } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { TextStream } from "../../text-stream.ts";
import { exportedPieces, fileHeaders, formatSchema, until, type ExportedPiece } from "./exported-pieces.ts";
import { readRequestFilter, requestQuery } from "./request-filter.ts";

/** The pause between slices, about as long as a slice takes, so that a busy export leaves half a core to requests. */
const REST_MS = 2;

export const fileReply: SuccessContract = {
  status: 200,
  description:
    "The file. In CSV (RFC 4180) the first line has the column names, and text that a spreadsheet would take for a formula starts with an apostrophe. A connection that is cut off leaves an incomplete file.",
  headers: { "Content-Disposition": { type: "string", description: "The file name." } },
  others: { "text/csv": { type: "string" }, "application/x-ndjson": { type: "string" } },
};

/** GET /api/requests/export: all requests of the list in one file, oldest first. */
export function exportRequests(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests/export",
    access: members("usage:read"),
    operationId: "exportRequests",
    summary: "Export requests as a file, oldest first, without a limit on their number",
    query: { format: formatSchema, ...requestQuery },
    reply: fileReply,
    run({ actor, query, exchange }) {
      const { format = "csv" } = query;
      const nowMs = platform.nowMs();
      const filter = until(nowMs, readRequestFilter(query, actor, platform));
      const pieces = exportedPieces(filter, format, actor, platform, () => Bun.sleep(REST_MS));
      return new Reply(new TextStream(textsOf(pieces), exchange), { headers: fileHeaders(format, nowMs) });
    },
  });
}

async function* textsOf(pieces: AsyncGenerator<ExportedPiece, void>): AsyncGenerator<string, void> {
  for await (const { text } of pieces) yield text;
}
