import { endpointOf, type Tags } from "../../money/attribution.ts";
import { RESPONSE_CACHE } from "../../money/ledger-entry.ts";
import { answeredBy, type LoggedRequest } from "../../requests/logged-request.ts";
import type { MirrorResult } from "../../requests/mirror-result.ts";
import { formatDollars } from "../../money/money.ts";
import type { Role } from "../../access/person.ts";
import type { Platform } from "../platform.ts";
import { viewTime } from "./fields.ts";
import { type Actor, members } from "../../access/access.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../access/request-export.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import type { RequestFilter } from "../../stores/request-log/request-log-store.ts";
import { mirrorsFor, viewRequest } from "./request-view.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import { operation, type Operation, type SuccessContract } from "../operation.ts";
import { TextStream } from "../text-stream.ts";
import { readRequestFilter, requestQuery } from "./request-filter.ts";

/** One line of a CSV file, RFC 4180. */
export function toCsvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(",")}\r\n`;
}

function quote(cell: string): string {
  return /[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Spreadsheets parse a cell that starts with one of these characters as a formula, with or without leading white space. East Asian
 * spreadsheets also accept the full-width characters.
 */
const FORMULA = String.raw`[^\S\t\r\n]*[=+\-@＝＋－＠]`;
const BEGINNINGS = new RegExp(String.raw`^(?=[\t\r\n]|${FORMULA})|(?<=[;\t\r\n])(?=${FORMULA})`, "g");

/**
 * Escapes untrusted text for a cell. A spreadsheet would evaluate a formula when the file is opened, so an apostrophe is prepended
 * (https://owasp.org/www-community/attacks/CSV_Injection). Many spreadsheets outside of English-speaking countries split at semicolons, and
 * recognize quotation marks only at the start of a cell. In these, text after a semicolon, a tab or a line end also starts a cell.
 */
export function harmlessCell(text: string): string {
  return text.replaceAll(BEGINNINGS, "'");
}

type Cell = string | number | boolean | null | undefined;
type Column = readonly [heading: string, cell: (request: LoggedRequest, platform: Pick<Platform, "keys">) => Cell];

/** The columns of a CSV export. Programs rely on their order: new columns are added at the end of either part. */
const COLUMNS: readonly Column[] = [
  ["request_id", ({ requestId }) => requestId],
  ["started_at", ({ startedAtMs }) => viewTime(startedAtMs)],
  ["ended_at", ({ endedAtMs }) => viewTime(endedAtMs)],
  ["account", ({ accountId }) => accountId],
  ["key", ({ keyId }) => keyId],
  ["key_name", ({ keyId }, { keys }) => keyId && keys.find(keyId)?.name],
  ["model", ({ model }) => model],
  ["stream", ({ isStream }) => isStream],
  ["status", ({ status }) => status],
  ["outcome", ({ outcome }) => outcome],
  ["code", ({ code }) => code],
  ["param", ({ param }) => param],
  ["attempts", ({ attempts }) => attempts.length],
  ["from_cache", ({ upstream }) => upstream === RESPONSE_CACHE],
  ["prompt_tokens", ({ usage }) => usage?.promptTokens],
  ["cached_tokens", ({ usage }) => usage?.cachedTokens],
  ["cache_write_tokens", ({ usage }) => usage?.cacheWriteTokens],
  ["completion_tokens", ({ usage }) => usage?.completionTokens],
  ["reasoning_tokens", ({ usage }) => usage?.reasoningTokens],
  ["provenance", ({ provenance }) => provenance],
  ["cost", ({ costNanos }) => (costNanos === null ? null : formatDollars(costNanos))],
  ["duration_ms", ({ durationMs }) => durationMs],
  ["first_token_ms", ({ firstTokenMs }) => firstTokenMs],
  ["overhead_ms", ({ overheadMs }) => overheadMs],
  ["request_bytes", ({ requestBytes }) => requestBytes],
  ["reply_bytes", ({ replyBytes }) => replyBytes],
  ["client", ({ client }) => client],
  ["user", ({ attribution }) => attribution?.user],
  ["conversation", ({ attribution }) => attribution?.conversation],
  ["tags", ({ attribution }) => formatTags(attribution?.tags)],
  ["answered_by", answeredBy],
  ["endpoint", ({ attribution }) => endpointOf(attribution)],
];

const FOR_OPERATORS: readonly Column[] = [
  ["upstream", ({ upstream }) => upstream],
  ["detail", ({ detail }) => detail],
];

type MirrorColumn = readonly [heading: string, cell: (result: MirrorResult) => Cell];

/**
 * The columns of the mirror, which follow the columns of the request, so that both responses can be compared. They are the last columns in
 * operators' files.
 */
const OF_MIRROR: readonly MirrorColumn[] = [
  ["mirror_upstream", ({ upstream }) => upstream],
  ["mirror_model", ({ upstreamModel }) => upstreamModel],
  ["mirror_status", ({ mirror }) => mirror.status],
  ["mirror_finish_reason", ({ mirror }) => mirror.finishReason],
  ["mirror_prompt_tokens", ({ mirror }) => mirror.promptTokens],
  ["mirror_completion_tokens", ({ mirror }) => mirror.completionTokens],
  ["mirror_first_byte_ms", ({ mirror }) => mirror.firstByteMs],
  ["mirror_duration_ms", ({ mirror }) => mirror.durationMs],
  ["mirror_detail", ({ detail }) => detail],
  ["mirrored_finish_reason", ({ response }) => response.finishReason],
  ["mirrored_first_byte_ms", ({ response }) => response.firstByteMs],
  ["mirrored_duration_ms", ({ response }) => response.durationMs],
];

function columnsFor(role: Role): readonly Column[] {
  return role === "operator" ? [...COLUMNS, ...FOR_OPERATORS] : COLUMNS;
}

function mirrorColumnsFor(role: Role): readonly MirrorColumn[] {
  return role === "operator" ? OF_MIRROR : [];
}

function csvHeader(role: Role): string {
  return toCsvLine([...columnsFor(role), ...mirrorColumnsFor(role)].map(([heading]) => heading));
}

interface ExportedRequest {
  readonly request: LoggedRequest;
  readonly mirror: MirrorResult | undefined;
}

function csvLineOf({ request, mirror }: ExportedRequest, role: Role, platform: Pick<Platform, "keys">): string {
  const ofRequest = columnsFor(role).map(([, cell]) => inCell(cell(request, platform)));
  const ofMirror = mirrorColumnsFor(role).map(([, cell]) => inCell(mirror && cell(mirror)));
  return toCsvLine([...ofRequest, ...ofMirror]);
}

function formatTags(tags: Tags = {}): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}

/** Missing values are empty cells. */
function inCell(value: Cell): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? harmlessCell(value) : String(value);
}

/** The number of requests per slice. A slice blocks the event loop for one or two milliseconds. */
const ROWS_AT_ONCE = 200;

const MEDIA_TYPES = { csv: "text/csv; charset=utf-8; header=present", jsonl: "application/x-ndjson" } as const;

export const formatSchema = {
  type: "string",
  enum: EXPORT_FORMATS,
  description: "`csv` (default), or `jsonl` for one JSON object per line.",
} as const satisfies Schema;

/** A part of an export: whole lines, with the number of requests in them. */
interface ExportedPiece {
  readonly text: string;
  readonly rows: number;
}

/**
 * An export of the matching requests, oldest first. Without a filter there are none. `rest` waits between slices, so that requests can be
 * served.
 */
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

/** The filter, restricted to requests that have ended by now: an export must end although new requests arrive. */
export function withEndAt(nowMs: number, filter: RequestFilter | undefined): RequestFilter | undefined {
  return filter && { ...filter, toMs: Math.min(filter.toMs ?? nowMs, nowMs) };
}

export function fileHeaders(format: ExportFormat, atMs: number): Record<string, string> {
  return {
    "content-type": MEDIA_TYPES[format],
    "content-disposition": `attachment; filename="requests-${new Date(atMs).toISOString().slice(0, 10)}.${format}"`,
  };
}

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
      const filter = withEndAt(nowMs, readRequestFilter(query, actor, platform));
      const pieces = exportedPieces(filter, format, actor, platform, () => Bun.sleep(REST_MS));
      return new Reply(new TextStream(textsOf(pieces), exchange), { headers: fileHeaders(format, nowMs) });
    },
  });
}

async function* textsOf(pieces: AsyncGenerator<ExportedPiece, void>): AsyncGenerator<string, void> {
  for await (const { text } of pieces) yield text;
}
