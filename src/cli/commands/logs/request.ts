import type { ComparedResponse, LoggedRequestInFull, RequestBodies } from "../../../../platform-client/types.ts";
import type { Operand } from "../../command.ts";
import { formatDetails } from "../../format/format-details.ts";
import { formatCount, formatUsd, formatDuration, formatTime } from "../../format/format-values.ts";
import { platformCommand } from "../../platform-command.ts";
import { describeAttribution } from "../../format/format-attribution.ts";
import { drawAttempts } from "./draw-attempts.ts";
import { TOLLGATE } from "../../../lib/this-program.ts";

const REQUEST: Operand = {
  name: "REQUEST_ID",
  meaning: "request ID: the x-request-id header of the response, also shown by logs",
};

export const showRequest = platformCommand<LoggedRequestInFull>({
  summary: "Show a request: outcome, attempts, and the duration of each.",
  examples: ["logs show req_01a1df51-3379-7633-a8ab-792e92e7c19a"],
  operands: [REQUEST],
  call: "GET /api/requests/{requestId}",
  print: describe,
});

const OUTCOMES: Readonly<Record<LoggedRequestInFull["outcome"], string>> = {
  complete: "complete",
  replayed: "idempotent replay",
  dry_run: "dry run",
  refused: "rejected",
  failed: "failed",
  client_closed: "client disconnected",
};

function describe(request: LoggedRequestInFull): string {
  const { client, receipt, bodies } = request;
  const rows = [
    ["Request", request.request_id],
    ["Account", describeCaller(request)],
    ["Model", describeModel(request)],
    ["Outcome", describeOutcome(request)],
    ["Started", `${formatTime(request.started_at)} UTC`],
    ["Duration", formatDuration(request.duration_ms)],
    ...(request.first_token_ms === null ? [] : [["Time to first token", formatDuration(request.first_token_ms)]]),
    ...(request.overhead_ms === null ? [] : [["Gateway overhead", formatDuration(request.overhead_ms)]]),
    ...(request.usage === null ? [] : [["Tokens", describeTokens(request)]]),
    ...(request.cost === null ? [] : [["Cost", formatUsd(request.cost)]]),
    ["Size", `${formatCount(request.request_bytes, "byte")} in, ${formatCount(request.reply_bytes, "byte")} out`],
    ...(client === null ? [] : [["Client", client]]),
    ...describeMirror(request),
    ...describeAttribution(request),
    ...(request.trace_id ? [["Trace", request.trace_id]] : []),
    ...(receipt === null ? [] : [["Receipt", `${TOLLGATE} receipt ${request.request_id}`]]),
    ...(bodies ? [["Bodies", `${TOLLGATE} logs bodies ${request.request_id}`]] : []),
  ];
  const attempts = request.all_attempts ?? [];
  return formatDetails(rows) + (attempts.length === 0 ? "" : `\n${drawAttempts(attempts, request)}`);
}

/** Both responses, one below the other, so that the difference is visible. */
function describeMirror({ mirror: compared }: LoggedRequestInFull): string[][] {
  if (!compared) return [];
  const { upstream, model, response, mirror, detail } = compared;
  return [
    ["Mirror", `${upstream}/${model}: ${describeCompared(mirror)}${detail === null ? "" : `: ${detail}`}`],
    ["", `caller: ${describeCompared(response)}`],
  ];
}

function describeCompared(response: ComparedResponse): string {
  const { status, finish_reason: reason, prompt_tokens: prompt, completion_tokens: completion, first_byte_ms: first } = response;
  return [
    String(status),
    ...(reason === null ? [] : [reason]),
    ...(prompt === null || completion === null ? [] : [`${formatCount(prompt, "token")} in, ${formatCount(completion, "token")} out`]),
    ...(first === null ? [] : [`first byte after ${formatDuration(first)}`]),
    formatDuration(response.duration_ms),
  ].join(", ");
}

function describeCaller({ account, key, key_name: name }: LoggedRequestInFull): string {
  if (account === null) return "none: no valid key";
  return `${account}, key ${name === null ? key : `${name} (${key})`}`;
}

function describeModel(request: LoggedRequestInFull): string {
  const { model, answered_by: fallback, stream: isStream, upstream, from_cache: isFromCache } = request;
  const answering = fallback === null ? [] : [`answered by the fallback ${fallback}`];
  const where = isFromCache ? "from the response cache" : upstream ? `by ${upstream}` : undefined;
  return [model ?? "none", ...answering, ...(isStream ? ["streamed"] : []), ...(where === undefined ? [] : [where])].join(", ");
}

function describeOutcome({ status, outcome, code, param, detail }: LoggedRequestInFull): string {
  const why = code === null ? "" : `, ${code}${param === null ? "" : ` (${param})`}`;
  return `${status}, ${OUTCOMES[outcome]}${why}${detail ? `: ${detail}` : ""}`;
}

function describeTokens({ usage, provenance }: LoggedRequestInFull): string {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage!;
  return `${formatCount(prompt, "token")} in, ${formatCount(completion, "token")} out, ${provenance}`;
}

export const showBodies = platformCommand<RequestBodies>({
  summary: "Show the logged prompt and response of a request.",
  details: "Bodies are logged only for accounts with --log-bodies on. Each view is recorded in the audit log.",
  examples: ["logs bodies req_01a1df51-3379-7633-a8ab-792e92e7c19a"],
  operands: [REQUEST],
  call: "GET /api/requests/{requestId}/bodies",
  print: ({ request, reply, truncated }) =>
    `Request:\n${request ?? "none"}\n\nResponse:\n${reply ?? "none"}\n${truncated ? "\nTruncated to the maximum logged size.\n" : ""}`,
});
