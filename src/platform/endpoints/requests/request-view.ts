import type { Actor } from "../../../access/access.ts";
import { RESPONSE_CACHE } from "../../../money/ledger-entry.ts";
import { OUTCOMES, type LoggedAttempt, type LoggedRequest } from "../../../requests/logged-request.ts";
import { formatDollars } from "../../../money/money.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { usageSchema, usageToWire } from "../../../money/usage.ts";
import type { Platform } from "../../platform.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

const milliseconds: Schema = { type: "number", nullable: true };

const properties: Readonly<Record<string, Schema>> = {
  request_id: { type: "string" },
  started_at: timeSchema,
  ended_at: timeSchema,
  account: { type: "string", nullable: true, description: "Null where no valid key was shown." },
  key: { type: "string", nullable: true, description: "The id of the key." },
  key_name: { type: "string", nullable: true, description: "What it is called now." },
  model: { type: "string", nullable: true, description: "As the caller named it." },
  stream: { type: "boolean" },
  status: { type: "integer", description: "499 where the caller left before there was one." },
  outcome: { type: "string", enum: OUTCOMES },
  code: { type: "string", nullable: true, description: "The code of the error." },
  param: { type: "string", nullable: true, description: "The field that was at fault." },
  attempts: { type: "integer", description: "How many tries at upstreams there were." },
  from_cache: { type: "boolean", description: "Whether an answer was given again that the model keeps." },
  usage: { ...usageSchema, title: "UsageOrNull", nullable: true },
  provenance: { type: "string", nullable: true, enum: ["measured", "partial", "estimated"] },
  cost: { type: "string", nullable: true, description: "What was charged, in dollars." },
  duration_ms: { type: "number" },
  first_token_ms: { ...milliseconds, description: "Of a stream: until the first piece of the answer." },
  overhead_ms: { ...milliseconds, description: "What the gateway took itself." },
  request_bytes: { type: "integer" },
  reply_bytes: { type: "integer" },
  client: { type: "string", nullable: true, description: "What the caller says it is, `User-Agent`." },
  upstream: { type: "string", nullable: true, description: "Where it was answered or tried last. Shown to operators." },
  detail: {
    type: "string",
    nullable: true,
    description:
      "What happened. Shown to operators; to members where it is what the caller was told of credit, budgets, limits and models it may not call.",
  },
};

export const requestSchema: Schema = {
  title: "LoggedRequest",
  type: "object",
  required: Object.keys(properties).filter((name) => name !== "upstream" && name !== "detail"),
  properties,
};

const attemptSchema: Schema = {
  title: "LoggedAttempt",
  type: "object",
  required: ["upstream", "model", "started_ms", "duration_ms", "outcome", "detail"],
  properties: {
    upstream: { type: "string" },
    model: { type: "string", description: "The upstream's name for it." },
    started_ms: { type: "number", description: "After the request came." },
    duration_ms: { ...milliseconds, description: "Until it failed, or began to answer; of a JSON answer until all of it was there." },
    outcome: {
      type: "string",
      nullable: true,
      enum: ["answered", "refused", "abandoned", "unreachable", "busy", "credential", "failed", "slow", "broken", "unsupported"],
    },
    detail: { type: "string", nullable: true },
  },
};

export const requestInFullSchema: Schema = {
  title: "LoggedRequestInFull",
  type: "object",
  required: [...requestSchema.required!, "receipt"],
  properties: {
    ...properties,
    receipt: { type: "string", nullable: true, description: "Where its receipt is; null where nothing was set aside for it." },
    trace_id: { type: "string", nullable: true, description: "The trace that it belongs to, where traces are on. Shown to operators." },
    all_attempts: { type: "array", items: attemptSchema, description: "The tries at upstreams, in order. Shown to operators." },
    bodies: { type: "string", nullable: true, description: "Where the bodies are, if they were kept. Shown to operators." },
  },
};

/** A request as lists show it. Where a model is served is for operators, as on the model itself, and so is what went wrong there. */
export function viewRequest(request: LoggedRequest, { role }: Pick<Actor, "role">, { keys }: Pick<Platform, "keys">): object {
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
    ...(isOperator && { upstream }),
    ...((isOperator || wasToldToCaller(request)) && { detail }),
  };
}

const IN_OUR_WORDS: ReadonlySet<string | null> = new Set([
  "insufficient_credits",
  "credits_in_flight",
  "budget_exceeded",
  "rate_limit_exceeded",
  "model_not_allowed",
]);

/** Whether the details are our own words about credit, budgets, limits and models that may be called. An upstream that was tried may have put them otherwise. */
function wasToldToCaller({ code, attempts }: LoggedRequest): boolean {
  return IN_OUR_WORDS.has(code) && attempts.length === 0;
}

export function viewAttempt({ upstream, upstreamModel, startedMs, durationMs, outcome, detail }: LoggedAttempt): object {
  return { upstream, model: upstreamModel, started_ms: startedMs, duration_ms: durationMs, outcome, detail };
}
