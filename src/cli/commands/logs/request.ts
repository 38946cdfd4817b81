import type { LoggedRequestInFull, RequestBodies } from "../../../../platform-client/types.ts";
import type { Operand } from "../../command.ts";
import { formatDetails } from "../../format-details.ts";
import { formatCount, formatUsd, formatDuration, formatTime } from "../../format-values.ts";
import { platformCommand } from "../../platform-command.ts";
import { drawAttempts } from "./draw-attempts.ts";

export const REQUEST: Operand = {
  name: "REQUEST_ID",
  meaning: "the x-request-id of its reply, which logs and the gateway's own log have too",
};

export const showRequest = platformCommand<LoggedRequestInFull>({
  summary: "Shows what is known of a request: how it came out, what was tried, and how long each part took.",
  examples: ["logs show req_01a1df51-3379-7633-a8ab-792e92e7c19a"],
  operands: [REQUEST],
  call: "GET /api/requests/{requestId}",
  print: describe,
});

const OUTCOMES: Readonly<Record<LoggedRequestInFull["outcome"], string>> = {
  complete: "answered",
  given_again: "answered again, under its idempotency key",
  explained: "only explained",
  refused: "refused",
  failed: "failed",
  left: "the caller left",
};

function describe(request: LoggedRequestInFull): string {
  const { client, receipt, bodies } = request;
  const rows = [
    ["Request", request.request_id],
    ["Account", describeCaller(request)],
    ["Model", describeModel(request)],
    ["Outcome", describeOutcome(request)],
    ["Started", `${formatTime(request.started_at)} UTC`],
    ["Took", describeTimes(request)],
    ...(request.usage === null ? [] : [["Tokens", describeTokens(request)]]),
    ...(request.cost === null ? [] : [["Cost", formatUsd(request.cost)]]),
    ["Size", `${formatCount(request.request_bytes, "byte")} in, ${formatCount(request.reply_bytes, "byte")} out`],
    ...(client === null ? [] : [["Client", client]]),
    ...(request.trace_id ? [["Trace", request.trace_id]] : []),
    ...(receipt === null ? [] : [["Receipt", `npx tollgate receipt ${request.request_id}`]]),
    ...(bodies ? [["Bodies", `npx tollgate logs bodies ${request.request_id}`]] : []),
  ];
  const attempts = request.all_attempts ?? [];
  return formatDetails(rows) + (attempts.length === 0 ? "" : `\n${drawAttempts(attempts, request)}`);
}

function describeCaller({ account, key, key_name: name }: LoggedRequestInFull): string {
  if (account === null) return "none: no valid key";
  return `${account}, key ${name === null ? key : `${name} (${key})`}`;
}

function describeModel({ model, stream: isStream, upstream, from_cache: isFromCache }: LoggedRequestInFull): string {
  const where = isFromCache ? "from the cache" : upstream ? `by ${upstream}` : undefined;
  return [model ?? "none", ...(isStream ? ["streamed"] : []), ...(where === undefined ? [] : [where])].join(", ");
}

function describeOutcome({ status, outcome, code, param, detail }: LoggedRequestInFull): string {
  const why = code === null ? "" : `, ${code}${param === null ? "" : ` (${param})`}`;
  return `${status}, ${OUTCOMES[outcome]}${why}${detail ? `: ${detail}` : ""}`;
}

function describeTimes({ duration_ms: duration, first_token_ms: first, overhead_ms: own }: LoggedRequestInFull): string {
  const parts = [
    formatDuration(duration),
    ...(first === null ? [] : [`the first token after ${formatDuration(first)}`]),
    ...(own === null ? [] : [`${formatDuration(own)} of it in the gateway`]),
  ];
  return parts.join(", ");
}

function describeTokens({ usage, provenance }: LoggedRequestInFull): string {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage!;
  return `${formatCount(prompt, "token")} in, ${formatCount(completion, "token")} out, ${provenance}`;
}

export const showBodies = platformCommand<RequestBodies>({
  summary: "Shows what was asked and answered, where an account has that kept. The audit log records who looked.",
  examples: ["logs bodies req_01a1df51-3379-7633-a8ab-792e92e7c19a"],
  operands: [REQUEST],
  call: "GET /api/requests/{requestId}/bodies",
  print: ({ request, reply, cut }) =>
    `Request:\n${request ?? "none"}\n\nReply:\n${reply ?? "none"}\n${cut ? "\nWhat was too long to be kept was cut off.\n" : ""}`,
});
