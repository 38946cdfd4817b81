import { expect, test } from "bun:test";
import type { Attempt } from "./call-attempt.ts";
import { discrepancies, type Logs } from "./compare-logs.ts";
import type { LedgerRow } from "./read-ledger.ts";
import type { UpstreamCall } from "./truthful-upstream.ts";

const NOTHING: LedgerRow = {
  id: 0,
  account_id: "default",
  kind: "hold",
  amount_nanos: 0,
  at_ms: 110,
  actor: "key",
  reason: "a request",
  request_id: "req_1",
  hold_id: null,
  key_id: "key",
  reference: null,
  uncharged_nanos: null,
  prompt_tokens: null,
  cached_tokens: null,
  completion_tokens: null,
  provenance: null,
};
const HOLD: LedgerRow = { ...NOTHING, id: 1, amount_nanos: 2_000_000 };
const SETTLE: LedgerRow = {
  ...NOTHING,
  id: 2,
  kind: "settle",
  amount_nanos: 109_000,
  at_ms: 190,
  reason: "complete",
  hold_id: 1,
  uncharged_nanos: 0,
  prompt_tokens: 100,
  cached_tokens: 10,
  completion_tokens: 9,
  provenance: "measured",
};
const ATTEMPT: Attempt = {
  keyId: "key",
  endpoint: "chat",
  marker: "m",
  isIdempotent: false,
  baseUrl: "http://127.0.0.1:8700/v1",
  sentAtMs: 100,
  endedAtMs: 200,
  end: "complete",
  status: 200,
  code: null,
  retryAfter: null,
  requestId: "req_1",
  replays: null,
  cost: "0.000109",
  promptTokens: 100,
  completionTokens: 9,
  text: "text",
  bytes: "bytes",
};
const CALL: UpstreamCall = {
  marker: "m",
  atMs: 120,
  promptTokens: 100,
  cachedTokens: 10,
  generated: 9,
  wholeText: "text",
  aborted: false,
};
const LATER = { ...ATTEMPT, sentAtMs: 300, endedAtMs: 400, requestId: "req_2" };
const SETTLED_TWICE = [
  HOLD,
  SETTLE,
  { ...HOLD, id: 3, at_ms: 310, request_id: "req_2" },
  { ...SETTLE, id: 4, request_id: "req_2", hold_id: 3 },
];

test("consistent logs have no discrepancy", () => {
  expect(discrepancies({ entries: [HOLD, SETTLE], attempts: [ATTEMPT], calls: [CALL] })).toEqual([]);
  const replayed = { ...LATER, replays: "req_1", cost: "0.00", isIdempotent: true };
  expect(discrepancies({ entries: [HOLD, SETTLE], attempts: [{ ...ATTEMPT, isIdempotent: true }, replayed], calls: [CALL] })).toEqual([]);
});

const lies: readonly [string, Partial<Logs>][] = [
  ["is still held", { entries: [HOLD] }],
  ["has no settlement as such", { entries: [HOLD, { ...SETTLE, kind: "release", amount_nanos: 0 }] }],
  ["has no settlement as such", { entries: [] }],
  ["has 2 ends", { entries: [HOLD, SETTLE, { ...SETTLE, id: 3 }] }],
  ["an end that is not its own", { entries: [HOLD, { ...SETTLE, hold_id: 7 }] }],
  ["stands at place 2", { entries: [HOLD, { ...SETTLE, id: 3 }] }],
  ["nobody asked for it", { attempts: [] }],
  ["whose caller knows it as", { attempts: [{ ...ATTEMPT, requestId: "req_9" }] }],
  ["reached the upstream with 0 holds", { calls: [{ ...CALL, atMs: 105 }] }],
  ["call 2 of m reached the upstream with 1 holds", { calls: [CALL, CALL] }],
  ["was charged 2 times", { entries: SETTLED_TWICE, attempts: [ATTEMPT, LATER], calls: [CALL, { ...CALL, atMs: 320 }] }],
  ["was answered again without a replay", { entries: SETTLED_TWICE, attempts: [ATTEMPT, LATER], calls: [CALL, { ...CALL, atMs: 320 }] }],
  ["in different words", { attempts: [ATTEMPT, { ...LATER, replays: "req_1", bytes: "others" }] }],
  ["never answered", { attempts: [{ ...ATTEMPT, isIdempotent: true, end: "cut" }] }],
  ["its connection stayed open", { attempts: [{ ...ATTEMPT, end: "hung" }] }],
  ["was refused with 500", { attempts: [{ ...ATTEMPT, end: "refused", status: 500 }] }],
  ["is not what the upstream sent whole", { calls: [{ ...CALL, wholeText: null }] }],
  ["were due", { entries: [HOLD, { ...SETTLE, completion_tokens: 8, amount_nanos: 107_000 }] }],
  ["were due", { entries: [HOLD, { ...SETTLE, provenance: "estimated" }] }],
  ["was told a cost", { attempts: [{ ...ATTEMPT, cost: "0.00012" }] }],
  ["was told a cost", { attempts: [ATTEMPT, { ...LATER, replays: "req_1", isIdempotent: true }] }],
  ["was told other prompt tokens", { attempts: [{ ...ATTEMPT, promptTokens: 99 }] }],
  ["was told other tokens", { attempts: [{ ...ATTEMPT, completionTokens: 8 }] }],
  ["more than was held", { entries: [{ ...HOLD, amount_nanos: 100 }, SETTLE] }],
  ["not charged in full", { entries: [HOLD, { ...SETTLE, uncharged_nanos: 1 }] }],
  ["above the truth", { attempts: [{ ...ATTEMPT, end: "cut" }], calls: [{ ...CALL, generated: 8 }] }],
  ["above the truth", { attempts: [{ ...ATTEMPT, end: "cut" }], calls: [] }],
  ["was recovered, and its caller has all of it", { entries: [HOLD, { ...SETTLE, actor: "recovery" }] }],
];

test("finds every discrepancy between the logs", () => {
  for (const [words, lie] of lies) {
    const found = discrepancies({ entries: [HOLD, SETTLE], attempts: [ATTEMPT], calls: [CALL], ...lie });
    expect(found.join("\n")).toContain(words);
  }
});
