import { expect, test } from "bun:test";
import type { SettleEntry } from "../../../money/ledger-entry.ts";
import { entryFromRow, toSentRow, type EntryRow } from "./entry-columns.ts";

/** Each field has a value of its own, so that two exchanged columns are noticed although they are written and read by the same list. */
const ENTRY: SettleEntry = {
  kind: "settle",
  id: 1,
  accountId: "account",
  atMs: 2,
  actor: "actor",
  reason: "reason",
  requestId: "request",
  keyId: "key",
  model: "model",
  priceVersion: "price",
  attribution: { user: "ada" },
  holdId: 3,
  amountNanos: 2n ** 53n + 1n,
  unchargedNanos: 4n,
  usage: {
    promptTokens: 5,
    cachedTokens: 6,
    cacheWriteTokens: 7,
    completionTokens: 8,
    reasoningTokens: 9,
    premium: { hourWriteTokens: 2, toolCalls: { web_search: 1 }, multipliers: ["fast"] },
  },
  provenance: "measured",
  upstream: "upstream",
  upstreamModel: "upstream-model",
  costVersion: "cost",
  upstreamCostNanos: 10n,
  attempts: 11,
  failedAttempts: [{ upstream: "other", upstreamModel: "other-model", fault: "busy", durationMs: 12, detail: "detail" }],
};

const ROW = {
  id: 1,
  account_id: "account",
  kind: "settle",
  amount_nanos: "9007199254740993",
  at_ms: 2,
  actor: "actor",
  reason: "reason",
  request_id: "request",
  hold_id: 3,
  key_id: "key",
  model: "model",
  price_version: "price",
  uncharged_nanos: "4",
  prompt_tokens: 5,
  cached_tokens: 6,
  cache_write_tokens: 7,
  completion_tokens: 8,
  reasoning_tokens: 9,
  provenance: "measured",
  upstream: "upstream",
  upstream_model: "upstream-model",
  cost_version: "cost",
  attempts: 11,
  failed_attempts: '[{"upstream":"other","upstreamModel":"other-model","fault":"busy","durationMs":12,"detail":"detail"}]',
  attribution: '{"user":"ada"}',
  upstream_cost_nanos: "10",
  premium: '{"hourWriteTokens":2,"toolCalls":{"web_search":1},"multipliers":["fast"]}',
};

test("every field of a settlement is written to its own column, and read from it", () => {
  expect(toSentRow(ENTRY)).toEqual(ROW);
  expect(entryFromRow({ ...ROW, reference: null } as unknown as EntryRow)).toEqual(ENTRY);
});
