import type { NewCredit } from "../../../src/stores/ledger/ledger-record-store.ts";
import type { IdempotentReply, NewHold, Settlement } from "../../../src/stores/ledger/ledger-store.ts";
import type { SettleEntry } from "../../../src/money/ledger-entry.ts";

/** Sample entries for tests of the ledger. */

/** More than a JavaScript number can hold exactly. */
export const LARGE = 2n ** 53n + 1n;
export const DAY_MS = 86_400_000;
export const NOW = Date.parse("2027-03-10T12:00:00Z");

export const USAGE = { promptTokens: 11, completionTokens: 22, cachedTokens: 3, cacheWriteTokens: 4, reasoningTokens: 5 };

export function grant(amountNanos: bigint, changes: Partial<NewCredit> = {}): NewCredit {
  return {
    kind: "grant",
    accountId: "acme",
    amountNanos,
    atMs: NOW,
    actor: "operator",
    reason: "paid",
    reference: "invoice 1",
    ...changes,
  };
}

export function hold(requestId: string, amountNanos: bigint, changes: Partial<NewHold> = {}): NewHold {
  const names = { accountId: "acme", keyId: "key-1", actor: "key-1", reason: "a request", model: "m", priceVersion: "v1" };
  return { ...names, requestId, amountNanos, atMs: NOW, ...changes };
}

export function settlement(costNanos: bigint, changes: Partial<Settlement> = {}): Settlement {
  const counts = { usage: USAGE, provenance: "measured", upstream: "u", upstreamModel: "u-m", attempts: 1 } as const;
  return { atMs: NOW, reason: "complete", costNanos, capNanos: undefined, ...counts, ...changes };
}

export function answer(scope: string, changes: Partial<IdempotentReply> = {}): (entry: SettleEntry) => IdempotentReply {
  return ({ requestId }) => ({ scope, digest: "d", requestId, atMs: NOW, headers: { "x-a": "ü" }, body: "{}", ...changes });
}
