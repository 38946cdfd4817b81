import type { Actor } from "../../access/access.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import type { ComparedResponse, MirrorResult } from "../../requests/mirror-result.ts";
import type { Platform } from "../platform.ts";
import { RESPONSE_CACHE } from "../../money/ledger-entry.ts";
import { answeredBy, OUTCOMES, type LoggedAttempt, type LoggedRequest } from "../../requests/logged-request.ts";
import { formatDollars } from "../../money/money.ts";
import { namesOf } from "../../lib/schema/infer.ts";
import { usageSchema, usageToWire } from "../../money/usage.ts";
import { attributionSchemas, viewAttributionOf, timeSchema, viewTime } from "./fields.ts";

const count = { type: "integer", nullable: true } as const satisfies Schema;
const milliseconds = { type: "number", nullable: true } as const satisfies Schema;

const comparedSchema = {
  title: "ComparedResponse",
  type: "object",
  required: ["status", "finish_reason", "prompt_tokens", "completion_tokens", "first_byte_ms", "duration_ms"],
  properties: {
    status: { type: "integer", description: "The HTTP status that a caller receives for it." },
    finish_reason: { type: "string", nullable: true, description: "Null without one, as of a stream that broke off." },
    prompt_tokens: { ...count, description: "As counted by the upstream." },
    completion_tokens: count,
    first_byte_ms: { ...milliseconds, description: "Time to first byte of a stream, from the start of the call." },
    duration_ms: { type: "number", description: "From the start of the call to the end of the response." },
  },
} as const satisfies Schema;

const mirrorResultSchema = {
  title: "MirrorResultOrNull",
  type: "object",
  nullable: true,
  description:
    "The response of the model's mirror, beside the caller's response from its last attempt; null if the request was not mirrored. Shown to operators.",
  required: ["upstream", "model", "response", "mirror", "detail"],
  properties: {
    upstream: { type: "string" },
    model: { type: "string", description: "The upstream model." },
    response: comparedSchema,
    mirror: comparedSchema,
    detail: { type: "string", nullable: true, description: "Why the mirror failed; null if it did not fail." },
  },
} as const satisfies Schema;

/** The mirror results of these requests. For operators only: members do not see upstreams. */
export async function mirrorsFor(
  { role }: Pick<Actor, "role">,
  requests: readonly { readonly requestId: string }[],
  { requestLog }: Pick<Platform, "requestLog">,
): Promise<ReadonlyMap<string, MirrorResult>> {
  return role === "operator" && requests.length > 0 ? requestLog.mirrorsOf(requests.map(({ requestId }) => requestId)) : NO_MIRRORS;
}

const NO_MIRRORS: ReadonlyMap<string, MirrorResult> = new Map();

function viewMirror(result: MirrorResult | undefined) {
  if (!result) return null;
  const { upstream, upstreamModel, response, mirror, detail } = result;
  return { upstream, model: upstreamModel, response: viewCompared(response), mirror: viewCompared(mirror), detail };
}

function viewCompared({ status, finishReason, promptTokens, completionTokens, firstByteMs, durationMs }: ComparedResponse) {
  return {
    status,
    finish_reason: finishReason,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    first_byte_ms: firstByteMs,
    duration_ms: durationMs,
  };
}

const everywhere = {
  request_id: { type: "string" },
  started_at: timeSchema,
  ended_at: timeSchema,
  account: { type: "string", nullable: true, description: "The account; null without a valid key." },
  key: { type: "string", nullable: true, description: "The id of the key." },
  key_name: { type: "string", nullable: true, description: "The current name of the key." },
  model: { type: "string", nullable: true, description: "The model, as named in the request." },
  answered_by: { type: "string", nullable: true, description: "The fallback that answered instead; null if the model itself answered." },
  stream: { type: "boolean" },
  status: { type: "integer", description: "The HTTP status; 499 when the client disconnected before there was one." },
  outcome: { type: "string", enum: OUTCOMES },
  code: { type: "string", nullable: true, description: "The error code." },
  param: { type: "string", nullable: true, description: "The field that caused the error." },
  attempts: { type: "integer", description: "The number of attempts at upstreams." },
  from_cache: { type: "boolean", description: "Whether the response came from the response cache." },
  usage: { ...usageSchema, title: "UsageOrNull", nullable: true },
  provenance: { type: "string", nullable: true, enum: ["measured", "partial", "estimated"] },
  cost: { type: "string", nullable: true, description: "The charge in dollars." },
  duration_ms: { type: "number" },
  first_token_ms: { ...milliseconds, description: "The time to first token of a stream." },
  overhead_ms: { ...milliseconds, description: "The gateway's own overhead." },
  request_bytes: { type: "integer" },
  reply_bytes: { type: "integer" },
  client: { type: "string", nullable: true, description: "The client, from `User-Agent`." },
  ...attributionSchemas,
} as const satisfies Record<string, Schema>;

/** Fields that members never see, or see only in some cases. */
const shownToSome = {
  upstream: { type: "string", nullable: true, description: "The upstream of the last attempt. Shown to operators." },
  mirror: mirrorResultSchema,
  detail: {
    type: "string",
    nullable: true,
    description:
      "Details of the outcome. Shown to operators; to members when it is the client's own error message about credit, spend caps, limits or models that the key may not call.",
  },
} as const satisfies Record<string, Schema>;

const properties = { ...everywhere, ...shownToSome } as const;

export const requestSchema = {
  title: "LoggedRequest",
  type: "object",
  required: namesOf(everywhere),
  properties,
} as const satisfies Schema;

const attemptSchema = {
  title: "LoggedAttempt",
  type: "object",
  required: ["upstream", "model", "started_ms", "duration_ms", "outcome", "detail", "fallback"],
  properties: {
    upstream: { type: "string" },
    model: { type: "string", description: "The upstream model." },
    started_ms: { type: "number", description: "The start of the attempt, in milliseconds after the request arrived." },
    duration_ms: {
      ...milliseconds,
      description: "The time until the attempt failed or the response started; for JSON until the response was complete.",
    },
    outcome: {
      type: "string",
      nullable: true,
      enum: ["answered", "refused", "abandoned", "unreachable", "proxy", "busy", "credential", "failed", "slow", "broken", "unsupported"],
    },
    detail: { type: "string", nullable: true },
    fallback: { type: "string", nullable: true, description: "The fallback that it was made for; null if it was the requested model." },
  },
} as const satisfies Schema;

export const requestInFullSchema = {
  title: "LoggedRequestInFull",
  type: "object",
  required: [...requestSchema.required, "receipt"],
  properties: {
    ...properties,
    receipt: { type: "string", nullable: true, description: "The path of the receipt; null when no credit was reserved." },
    trace_id: { type: "string", nullable: true, description: "The trace id, when tracing is enabled. Shown to operators." },
    all_attempts: { type: "array", items: attemptSchema, description: "The attempts at upstreams, in order. Shown to operators." },
    bodies: {
      type: "string",
      nullable: true,
      description: "The path of the logged prompt and response, if there are any. Shown to operators.",
    },
  },
} as const satisfies Schema;

/** A request as the API lists it. Only operators see the upstream and its errors, like in the model itself. */
export function viewRequest(
  request: LoggedRequest,
  { role }: Pick<Actor, "role">,
  { keys }: Pick<Platform, "keys">,
  mirrors: ReadonlyMap<string, MirrorResult>,
) {
  const { upstream, detail, keyId, usage, costNanos } = request;
  const isOperator = role === "operator";
  return {
    request_id: request.requestId,
    started_at: viewTime(request.startedAtMs),
    ended_at: viewTime(request.endedAtMs),
    account: request.accountId,
    key: keyId,
    key_name: keyId === null ? null : (keys.find(keyId)?.name ?? null),
    model: request.model,
    answered_by: answeredBy(request),
    stream: request.isStream,
    status: request.status,
    outcome: request.outcome,
    code: request.code,
    param: request.param,
    attempts: request.attempts.length,
    from_cache: upstream === RESPONSE_CACHE,
    usage: usage && usageToWire(usage),
    provenance: request.provenance,
    cost: costNanos === null ? null : formatDollars(costNanos),
    duration_ms: request.durationMs,
    first_token_ms: request.firstTokenMs,
    overhead_ms: request.overheadMs,
    request_bytes: request.requestBytes,
    reply_bytes: request.replyBytes,
    client: request.client,
    ...viewAttributionOf(request.attribution),
    ...(isOperator && { upstream, mirror: viewMirror(mirrors.get(request.requestId)) }),
    ...((isOperator || isDetailKnownToCaller(request)) && { detail }),
  };
}

const IN_OUR_WORDS: ReadonlySet<string | null> = new Set([
  "insufficient_credits",
  "credits_in_flight",
  "budget_exceeded",
  "rate_limit_exceeded",
  "model_not_allowed",
]);

/**
 * Whether the caller has received the detail. It is then the gateway's own message about credit, spend caps, limits or allowed models.
 * After an attempt, the detail may be from the upstream.
 */
function isDetailKnownToCaller({ code, attempts }: LoggedRequest): boolean {
  return IN_OUR_WORDS.has(code) && attempts.length === 0;
}

export function viewAttempt({ upstream, upstreamModel, startedMs, durationMs, outcome, detail, fallback }: LoggedAttempt) {
  const times = { started_ms: startedMs, duration_ms: durationMs };
  return { upstream, model: upstreamModel, ...times, outcome, detail, fallback: fallback ?? null };
}
