import type { Tags } from "../../../money/attribution.ts";
import { RESPONSE_CACHE } from "../../../money/ledger-entry.ts";
import { answeredBy, type LoggedRequest } from "../../../requests/logged-request.ts";
import type { MirrorResult } from "../../../requests/mirror-result.ts";
import { formatDollars } from "../../../money/money.ts";
import type { Role } from "../../../access/person.ts";
import type { Platform } from "../../platform.ts";
import { viewTime } from "../fields/times.ts";
import { harmlessCell, toCsvLine } from "./csv.ts";

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
];

const FOR_OPERATORS: readonly Column[] = [
  ["upstream", ({ upstream }) => upstream],
  ["detail", ({ detail }) => detail],
];

type MirrorColumn = readonly [heading: string, cell: (result: MirrorResult) => Cell];

/** Beside the columns of the request, so that both responses can be compared: the last ones of operators. */
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

export function csvHeader(role: Role): string {
  return toCsvLine([...columnsFor(role), ...mirrorColumnsFor(role)].map(([heading]) => heading));
}

export interface ExportedRequest {
  readonly request: LoggedRequest;
  readonly mirror: MirrorResult | undefined;
}

export function csvLineOf({ request, mirror }: ExportedRequest, role: Role, platform: Pick<Platform, "keys">): string {
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
