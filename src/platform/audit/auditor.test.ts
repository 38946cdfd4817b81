import { expect, test } from "bun:test";
import type { CreditEntry, Entry } from "../../money/ledger-entry.ts";
import { FREE } from "../../money/price.ts";
import { audit, type AuditedLedger } from "./auditor.ts";

/** A ledger of so many grants, all of which say one nano-dollar, that believes in some balance as of some entry. */
function ledgerOf(count: number, asOfId: number, creditNanos: bigint, reference: (id: number) => string = String): AuditedLedger {
  const entry = (id: number): CreditEntry => {
    return { id, kind: "grant", accountId: "a", amountNanos: 1n, atMs: 0, actor: "operator", reason: "r", reference: reference(id) };
  };
  return {
    balances: async () => ({ asOfId, accounts: new Map([["a", { creditNanos, heldNanos: 0n, spentNanos: 0n }]]), spentByKey: new Map() }),
    price: async () => undefined,
    entriesAfter: async (afterId, limit) => Array.from({ length: Math.min(limit, count - afterId) }, (_, at) => entry(afterId + 1 + at)),
  };
}

const OPTIONS = { keyIds: [], nowMs: 0 };

test("entries added after the balances were read are left for the next audit", async () => {
  expect(await audit({ ledger: ledgerOf(5000, 2500, 2500n), ...OPTIONS })).toEqual({
    checked: { entries: 2500, accounts: 1, requests: 0 },
    as_of_entry: 2500,
    discrepancy_count: 0,
    discrepancies: [],
  });
});

test("yields between pages, and stops reading when the client disconnects", async () => {
  const served = { turns: 0 };
  const others = setInterval(() => served.turns++, 0);
  await audit({ ledger: ledgerOf(200_000, 200_000, 200_000n), ...OPTIONS });
  clearInterval(others);
  expect(served.turns).toBeGreaterThan(10);

  const leaving = new AbortController();
  const going = audit({ ledger: ledgerOf(200_000, 200_000, 200_000n), ...OPTIONS, signal: leaving.signal });
  leaving.abort();
  expect((await going).checked.entries).toBeLessThan(200_000);
});

test("counts every discrepancy, and reports the first thousand", async () => {
  const { discrepancy_count: count, discrepancies } = await audit({ ledger: ledgerOf(3000, 3000, 3000n, () => "same"), ...OPTIONS });
  expect([count, discrepancies.length, discrepancies[999]!.entry]).toEqual([2999, 1000, 1001]);
});

/** A ledger of one free request with a cost price. */
function ledgerOfRequest(price: AuditedLedger["price"]): AuditedLedger {
  const request = { accountId: "a", atMs: 0, actor: "k", reason: "r", requestId: "r1", keyId: "k", model: "m", priceVersion: "free" };
  const usage = { promptTokens: 1, completionTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const served = { usage, provenance: "measured", upstream: "u", upstreamModel: "u-m", attempts: 1 } as const;
  const entries: Entry[] = [
    { kind: "hold", id: 1, ...request, amountNanos: 0n },
    { kind: "settle", id: 2, ...request, ...served, holdId: 1, amountNanos: 0n, unchargedNanos: 0n, costVersion: "lost" },
  ];
  return { ...ledgerOf(0, 2, 0n), price, entriesAfter: async (afterId, limit) => entries.slice(afterId, afterId + limit) };
}

test("the cost price and the price of a settlement must be known", async () => {
  const ledger = ledgerOfRequest(async (version) => (version === "free" ? FREE : undefined));
  const { discrepancies } = await audit({ ledger, ...OPTIONS });
  expect(discrepancies).toMatchObject([{ entry: 2, what: "a version of a price is known", expected: "price version lost" }]);
});

test("a price that cannot be read is reported with the entry that names it", async () => {
  const ledger = ledgerOfRequest(async (version) => {
    if (version === "free") return FREE;
    throw new Error("not JSON");
  });
  const { discrepancies } = await audit({ ledger, ...OPTIONS });
  expect(discrepancies).toMatchObject([{ entry: 2, what: "an entry has the fields of its kind", found: "Error: not JSON" }]);
});
