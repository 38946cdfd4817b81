import type { Attempt } from "../../src/requests/attempt.ts";
import type { SettleEntry } from "../../src/money/ledger-entry.ts";
import { RequestNotes, type EndedRequest } from "../../src/requests/request-notes.ts";

/** A successful chat completion with everything that must not appear in metrics. */
export function endedRequest(more: Partial<EndedRequest> = {}, notes: Partial<RequestNotes> = {}): EndedRequest {
  return {
    listener: "gateway",
    method: "POST",
    path: "/v1/chat/completions",
    isProbe: false,
    requestId: "req_canary",
    status: 200,
    startedAt: 1_000,
    endedAt: 1_500,
    endedAtMs: 1_800_000_000_000,
    client: "canary-client",
    notes: Object.assign(new RequestNotes(), goodNotes(), notes),
    ...more,
  };
}

function goodNotes(): Partial<RequestNotes> {
  return {
    keyId: "canary-key",
    accountId: "canary-account",
    requestedModel: "canary-model",
    model: "gpt-5",
    isStream: true,
    requestBytes: 100,
    replyBytes: 2_000,
    receivedAt: 1_000.1,
    attempts: [attempt()],
    begunAt: 1_200,
    repliedAt: 1_200.2,
    charge: charge(),
    end: "complete",
  };
}

export function attempt(more: Partial<Attempt> = {}): Attempt {
  return {
    upstream: "openai",
    upstreamModel: "gpt-5-2027",
    startedAt: 1_000.4,
    durationMs: 199,
    outcome: "answered",
    detail: "canary-detail",
    ...more,
  };
}

export function charge(more: Partial<SettleEntry> = {}): SettleEntry {
  return {
    kind: "settle",
    id: 2,
    holdId: 1,
    accountId: "canary-account",
    atMs: 0,
    actor: "canary-key",
    reason: "canary-reason",
    requestId: "req_canary",
    keyId: "canary-key",
    model: "gpt-5",
    priceVersion: "canary-price",
    amountNanos: 12_300n,
    unchargedNanos: 0n,
    usage: { promptTokens: 100, completionTokens: 51, cachedTokens: 30, cacheWriteTokens: 10, reasoningTokens: 20 },
    provenance: "measured",
    upstream: "openai",
    upstreamModel: "gpt-5-2027",
    attempts: 1,
    ...more,
  };
}
