import { describe, expect, test } from "bun:test";
import type { CreditEntry, Entry } from "../../money/ledger-entry.ts";
import { FREE, makePrice, type Price } from "../../money/price.ts";
import type { AuditLogStore, RecordedChange } from "../../stores/audit-log/audit-log-store.ts";
import { audit, type AuditedLedger } from "./auditor.ts";

/** A ledger with this number of grants of one nano-dollar each. It claims a balance as of the entry `asOfId`. */
function ledgerOf(count: number, asOfId: number, creditNanos: bigint, reference: (id: number) => string = String): AuditedLedger {
  const entry = (id: number): CreditEntry => {
    return { id, kind: "grant", accountId: "a", amountNanos: 1n, atMs: 0, actor: "operator", reason: "r", reference: reference(id) };
  };
  return {
    balances: async () => ({
      asOfId,
      accounts: new Map([["a", { creditNanos, heldNanos: 0n, spentNanos: 0n }]]),
      spentByKey: new Map(),
      breakdowns: [],
    }),
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
function ledgerOfRequest(price: AuditedLedger["price"], more: object = {}, ofBoth: object = {}): AuditedLedger {
  const names = { accountId: "a", atMs: 0, actor: "k", reason: "r", requestId: "r1", keyId: "k", model: "m", priceVersion: "free" };
  const request = { ...names, ...ofBoth };
  const usage = { promptTokens: 1, completionTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const served = { usage, provenance: "measured", upstream: "u", upstreamModel: "u-m", attempts: 1 } as const;
  const entries: Entry[] = [
    { kind: "hold", id: 1, ...request, amountNanos: 0n },
    { kind: "settle", id: 2, ...request, ...served, holdId: 1, amountNanos: 0n, unchargedNanos: 0n, costVersion: "lost", ...more },
  ];
  return { ...ledgerOf(0, 2, 0n), price, entriesAfter: async (afterId, limit) => entries.slice(afterId, afterId + limit) };
}

test("the cost price and the price of a settlement must be known", async () => {
  const ledger = ledgerOfRequest(async (version) => (version === "free" ? FREE : undefined));
  const { discrepancies } = await audit({ ledger, ...OPTIONS });
  expect(discrepancies).toMatchObject([{ entry: 2, what: "a version of a price is known", expected: "price version lost" }]);
});

const RATES = { inputPicos: 3n, cachedInputPicos: 3n, cacheWritePicos: 3n, outputPicos: 7n, reasoningPicos: 7n };
const BASE = makePrice({ effectiveAtMs: 0, source: "operator", rates: RATES, tiers: [{ aboveInputTokens: 9, rates: RATES }] });
const half = (rates: Partial<typeof RATES>, more: object = {}): Price => {
  const halved = { inputPicos: 2n, cachedInputPicos: 2n, cacheWritePicos: 2n, outputPicos: 4n, reasoningPicos: 4n, ...rates };
  const derivedFrom = { version: BASE.version, percent: 50 };
  const tiers = [{ aboveInputTokens: 9, rates: halved }];
  return makePrice({ effectiveAtMs: 0, source: "operator", rates: halved, tiers, priceList: "l", derivedFrom, ...more });
};

/** The auditor's discrepancies for a request with this cost price. */
async function discrepanciesAt(price: Price, more: object = {}): Promise<string[]> {
  const ledger = ledgerOfRequest(async (version) => [FREE, BASE, price].find((each) => each.version === version), {
    costVersion: price.version,
    ...more,
  });
  return (await audit({ ledger, ...OPTIONS })).discrepancies.map(({ what }) => what);
}

test("a percentage of a price is computed again from the price that it is of, at every tier", async () => {
  const what = "a price is the percentage of another that it is said to be";
  expect(await discrepanciesAt(half({}))).toEqual([]);
  for (const wrong of [half({ outputPicos: 3n }), half({ outputPicos: 5n }), half({}, { tiers: [] }), half({}, { tiers: BASE.tiers })]) {
    expect(await discrepanciesAt(wrong)).toEqual([what]);
  }
  expect(await discrepanciesAt(half({}, { derivedFrom: { version: "nobody", percent: 50 } }))).toEqual([what]);
  expect(await discrepanciesAt({ ...half({}), priceList: "another" })).toEqual(["a price says what its version is named for"]);
});

test("an upstream cost is computed again from the cost price", async () => {
  // One token of input and one of output cost six pico-dollars, rounded up.
  expect(await discrepanciesAt(half({}), { upstreamCostNanos: 1n })).toEqual([]);
  expect(await discrepanciesAt(half({}), { upstreamCostNanos: 2n })).toEqual(["an upstream cost is tokens by the cost price"]);
  const unknown = { costVersion: undefined, upstreamCostNanos: 0n };
  expect(await discrepanciesAt(half({}), unknown)).toEqual(["an upstream cost is tokens by the cost price"]);
  expect(await discrepanciesAt(half({}), { ...unknown, upstream: "cache" })).toEqual([]);
});

test("the difference that a process charges after its write-off has no tokens", async () => {
  const nothing = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const late = { usage: nothing, amountNanos: 5n, costVersion: undefined };
  const whats = async (requestId: string): Promise<string[]> => {
    const ledger = ledgerOfRequest(async () => FREE, late, { requestId });
    return (await audit({ ledger, ...OPTIONS })).discrepancies.map(({ what }) => what);
  };
  expect(await whats("r1")).toContain("a settlement is tokens by their price");
  expect((await whats("late:r1")).join()).not.toMatch(/tokens by their price|pays what a request cost/);
});

test("a price that cannot be read is reported with the entry that names it", async () => {
  const ledger = ledgerOfRequest(async (version) => {
    if (version === "free") return FREE;
    throw new Error("not JSON");
  });
  const { discrepancies } = await audit({ ledger, ...OPTIONS });
  expect(discrepancies).toMatchObject([{ entry: 2, what: "an entry has the fields of its kind", found: "Error: not JSON" }]);
});

describe("a price of a price list", () => {
  const HOUR_MS = 3_600_000;
  const AT_MS = 100 * HOUR_MS;
  const change = (id: number, hours: number, fields: Partial<RecordedChange>): RecordedChange => ({
    id,
    atMs: hours * HOUR_MS,
    actor: "p",
    actorName: "p",
    address: null,
    requestId: null,
    action: "account.update",
    target: { kind: "account", id: "a" },
    accountId: "a",
    before: null,
    after: null,
    idempotency: null,
    ...fields,
  });
  const has = (id: number, hours: number, priceList: string | null): RecordedChange =>
    change(id, hours, { after: { price_list: priceList } });

  async function found(...oldestFirst: RecordedChange[]): Promise<string[]> {
    const price = half({});
    const read = async (version: string): Promise<Price | undefined> => [FREE, BASE, price].find((each) => each.version === version);
    const ledger = ledgerOfRequest(read, { costVersion: undefined }, { priceVersion: price.version, atMs: AT_MS });
    const page: AuditLogStore["page"] = async (_, before, limit) => {
      return oldestFirst
        .filter(({ id }) => id < before)
        .toReversed()
        .slice(0, limit);
    };
    const { discrepancies } = await audit({ ledger, auditLog: { page }, ...OPTIONS });
    return discrepancies.map(({ what }) => what).filter((what) => what.includes("list"));
  }

  const WRONG = ["a price is of a list that the account had then"];

  test("is of a list that the account had at that time", async () => {
    const created = change(1, 1, { action: "account.create", after: { id: "acme", name: "Acme" } });
    expect(await found(created, has(2, 50, "l"))).toEqual([]);
    expect(await found(created, has(2, 50, "l"), change(3, 60, { action: "account.grant", after: { amount: "1" } }))).toEqual([]);
    expect(await found(created)).toEqual(WRONG);
    expect(await found(created, has(2, 50, "other"))).toEqual(WRONG);
    expect(await found(created, has(2, 50, "l"), has(3, 60, null))).toEqual(WRONG);
    expect(await found(created, has(2, 150, "l"))).toEqual(WRONG);
  });

  test("may have been changed within an hour, and is not known of an account without changes", async () => {
    expect(await found(has(1, 50, "l"), has(2, 99.5, null))).toEqual([]);
    expect(await found(has(1, 50, null), has(2, 100.5, "l"))).toEqual([]);
    expect(await found()).toEqual([]);
    const many = Array.from({ length: 1200 }, (_, at) => has(at + 2, 110 + at, null));
    expect(await found(has(1, 50, "l"), ...many)).toEqual([]);
  });
});
