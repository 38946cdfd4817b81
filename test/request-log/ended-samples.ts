import type { Attempt } from "../../src/requests/attempt.ts";
import type { SettleEntry } from "../../src/money/ledger-entry.ts";
import { RequestNotes, type EndedRequest } from "../../src/requests/request-notes.ts";

/** The charge of a response, with the fields that the request log reads. */
export function chargeOf(amountNanos: bigint, upstream = "mock"): SettleEntry {
  const usage = { promptTokens: 12, completionTokens: 34, cachedTokens: 5, cacheWriteTokens: 0, reasoningTokens: 6 };
  return { amountNanos, upstream, usage, provenance: "measured" } as SettleEntry;
}

export function attemptAt(upstream: string, startedAt: number, more: Partial<Attempt> = {}): Attempt {
  return { upstream, upstreamModel: `up-${upstream}`, startedAt, durationMs: 20, outcome: "answered", detail: undefined, ...more };
}

/** An ended chat completion that took half a second. */
export function endedAt(endedAtMs: number, status: number, notes: Partial<RequestNotes> = {}, client = "a-client/1.0"): EndedRequest {
  return {
    listener: "gateway",
    method: "POST",
    path: "/v1/chat/completions",
    isProbe: false,
    requestId: `req_${Bun.randomUUIDv7("hex", endedAtMs - 500)}`,
    status,
    startedAt: 1000,
    endedAt: 1500,
    endedAtMs,
    client,
    notes: Object.assign(new RequestNotes(), notes),
  };
}
