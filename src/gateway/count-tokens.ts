import type { KeyRecord } from "../access/api-key.ts";
import type { Exchange } from "../http/endpoint.ts";
import { Reply } from "../lib/http1/server/reply.ts";
import type { Schema } from "../lib/schema/schema.ts";
import { DEFAULT_TIMEOUTS } from "../models/timeouts.ts";
import { ApiError } from "../requests/api-error.ts";
import type { RelayedCall, Upstream } from "../upstreams/upstream.ts";
import { findModel, requireCallable } from "./admission/admit.ts";
import { identify, reauthenticate } from "./authentication.ts";
import type { ModelRequest } from "./formats/caller-format.ts";
import { countTokensFormat } from "./formats/messages/messages-format.ts";
import type { Gateway } from "./gateway.ts";
import { readModelRequest } from "./reading/read-model-request.ts";
import { findCandidates, type Candidate } from "./routing/route-choice.ts";

export const tokenCountSchema = {
  title: "TokenCount",
  type: "object",
  required: ["input_tokens"],
  properties: { input_tokens: { type: "integer" } },
} as const satisfies Schema;

/** Requests in flight, and requests within a minute, of one key. Claude Code sends a few for each prompt. */
const MAX_IN_FLIGHT = 4;
const MAX_PER_MINUTE = 120;
const MINUTE_MS = 60_000;

interface KeyCounts {
  inFlight: number;
  inMinute: number;
  minuteEndsAtMs: number;
}

/**
 * Limits the requests that count tokens. They cost the key nothing, and the upstream limits them for all callers together. The limits are
 * separate from the limits of completions: an agent that counts must not be kept from working.
 */
export class CountLimits {
  readonly #byKey = new Map<string, KeyCounts>();
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Throws if the key has reached a limit. Returns a function that ends the request. */
  take(keyId: string): () => void {
    const nowMs = this.#monotonicMs();
    this.#forgetOld(nowMs);
    let counts = this.#byKey.get(keyId);
    if (!counts) this.#byKey.set(keyId, (counts = { inFlight: 0, inMinute: 0, minuteEndsAtMs: nowMs + MINUTE_MS }));
    if (counts.inFlight >= MAX_IN_FLIGHT) throw limitReached(`${MAX_IN_FLIGHT} requests in flight`, 1);
    if (counts.inMinute >= MAX_PER_MINUTE) {
      throw limitReached(`${MAX_PER_MINUTE} requests per minute`, (counts.minuteEndsAtMs - nowMs) / 1000);
    }
    counts.inFlight++;
    counts.inMinute++;
    return () => counts.inFlight--;
  }

  /** A key that counts nothing at the moment takes no memory after its minute. */
  #forgetOld(nowMs: number): void {
    for (const [keyId, counts] of this.#byKey) {
      if (counts.minuteEndsAtMs > nowMs) return;
      this.#byKey.delete(keyId);
      if (counts.inFlight === 0) continue;
      counts.inMinute = 0;
      counts.minuteEndsAtMs = nowMs + MINUTE_MS;
      this.#byKey.set(keyId, counts);
    }
  }
}

function limitReached(limit: string, waitSeconds: number): ApiError {
  const seconds = Math.max(1, Math.ceil(waitSeconds));
  const message = `This key has reached the limit for counting tokens: ${limit}. Please try again in ${seconds}s.`;
  return new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: seconds });
}

/** POST /v1/messages/count_tokens: free of charge, and without credit, where an upstream of the model counts the tokens itself. */
export async function countTokens(exchange: Exchange, gateway: Gateway, limits: CountLimits): Promise<Reply> {
  const sender = await identify(exchange, gateway);
  gateway.rejections.refuse(sender.id, exchange);
  const end = limits.take(sender.id);
  try {
    const modelRequest = await readOrCharge(sender, exchange, gateway);
    const caller = reauthenticate(sender, exchange, gateway);
    return Reply.json({ input_tokens: await countAtUpstream(modelRequest, caller, exchange, gateway) });
  } finally {
    end();
  }
}

async function readOrCharge(sender: KeyRecord, exchange: Exchange, gateway: Gateway): Promise<ModelRequest> {
  try {
    return await readModelRequest(countTokensFormat, sender, undefined, exchange, gateway);
  } catch (error) {
    const { readingMs } = exchange.notes;
    if (readingMs !== undefined) gateway.rejections.charge(sender.id, exchange.callerAddress(), readingMs);
    throw error;
  }
}

async function countAtUpstream(modelRequest: ModelRequest, caller: KeyRecord, exchange: Exchange, gateway: Gateway): Promise<number> {
  const account = gateway.accountOf(caller);
  const nowMs = gateway.nowMs();
  const model = findModel(caller, account, modelRequest.model, gateway.catalog.snapshot(account.priceList), gateway);
  requireCallable(model, caller, account, nowMs);
  exchange.notes.model = model.id;
  const findUpstream = gateway.upstreams();
  const routes = model.routes.filter(({ upstream, upstreamModel }) => canCount(findUpstream(upstream), upstreamModel));
  const context = { account: account.id, findUpstream, states: gateway.upstreamStates, nowMs, limiting: gateway };
  const { candidates } = findCandidates({ ...model, routes }, modelRequest, context);
  let failure: unknown = notCounted(model.id);
  for (const candidate of candidates.toSorted((one, other) => one.route.priority - other.route.priority)) {
    try {
      return await candidate.upstream.countTokens!(callTo(candidate, model.id, modelRequest, exchange));
    } catch (error) {
      failure = error;
      if (!(error instanceof ApiError) || error.fault === undefined) break;
    }
  }
  throw failure;
}

function canCount(upstream: Upstream | undefined, upstreamModel: string): boolean {
  return upstream?.countsTokens?.("messages") === true && upstream.relays!("messages", upstreamModel);
}

function callTo({ route, state, upstream, account }: Candidate, model: string, request: ModelRequest, exchange: Exchange): RelayedCall {
  const { upstreamModel, headers } = route;
  const relayed = request.relayed!;
  const ready = state.credentials.find((credential) => credential.cooldownMs(upstreamModel, account) === 0);
  return {
    relayed,
    toolFees: undefined,
    formatHeaders: relayed.formatHeaders,
    model,
    upstreamModel,
    credential: (ready ?? state.credentials[0])?.secret,
    headers,
    parameterMapping: { dropped: [], renamed: {} },
    maxTokens: undefined,
    isCount: true,
    timeouts: upstream.settings.dialect === "echo" ? DEFAULT_TIMEOUTS : upstream.settings.timeouts,
    signal: exchange.request.signal,
    report: () => undefined,
  };
}

/** Claude Code estimates the tokens after a 404. */
function notCounted(id: string): ApiError {
  return new ApiError("unknown_url", `No upstream of the model ${id} counts tokens.`, { param: "model" });
}
