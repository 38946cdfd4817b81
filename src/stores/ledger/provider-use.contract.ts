import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, NOW, USAGE, hold, settlement } from "../../../test/support/money/ledger-samples.ts";
import type { FailedAttempt } from "../../money/failed-attempt.ts";
import { RESPONSE_CACHE } from "../../money/ledger-entry.ts";
import type { LedgerFixture } from "./ledger-store.contract.ts";
import type { LedgerRecordStore, ProviderUse, ProviderUseFilter } from "./ledger-record-store.ts";
import type { LedgerStore, Settlement } from "./ledger-store.ts";

const ALL: ProviderUseFilter = { fromMs: 0, toMs: NOW + 1000 * DAY_MS, upstreams: ["u", "v"], tierBounds: [] };

/** Formats each row as its name, tier and number of requests. */
function summarizeRow({ rows }: ProviderUse): string[] {
  return rows.map((row) => `${row.upstreamModel ?? "?"} ${row.tier} ${row.requests}`).toSorted();
}

function attempt(changes: Partial<FailedAttempt>): FailedAttempt {
  return { upstream: "u", upstreamModel: "a", fault: "slow", durationMs: 1, detail: "", ...changes };
}

function used(hourWriteTokens: number, web_search: number, ...multipliers: string[]): Partial<Settlement> {
  return { usage: { ...USAGE, premium: { hourWriteTokens, toolCalls: { web_search }, multipliers } } };
}

/** Contract tests of provider usage for every implementation of this port. */
export function providerUseContract(name: string, open: () => Promise<LedgerFixture>): void {
  describe(`${name} adds up what a provider may bill`, () => {
    let fixture: LedgerFixture;
    let store: LedgerStore;
    let records: LedgerRecordStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store, records } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    async function settle(id: string, changes: Partial<Settlement>, heldAtMs = changes.atMs ?? NOW): Promise<void> {
      await store.hold(hold(id, 1n, { atMs: heldAtMs }));
      await store.settle(id, settlement(1n, changes));
    }

    test("by the provider's names for the models, for the given upstreams only", async () => {
      await settle("r1", { upstream: "u", upstreamModel: "a" });
      await settle("r2", { upstream: "v", upstreamModel: "a" });
      await settle("r3", { upstream: "u", upstreamModel: "b" });
      await settle("r4", { upstream: "w", upstreamModel: "a" });
      await settle("r5", { upstream: RESPONSE_CACHE, upstreamModel: undefined });
      await settle("r6", { upstream: "u", upstreamModel: undefined });
      expect(summarizeRow(await records.providerUse(ALL))).toEqual(["? 0 1", "a 0 2", "b 0 1"]);
      expect(summarizeRow(await records.providerUse({ ...ALL, upstreams: ["w"] }))).toEqual(["a 0 1"]);
      expect(await records.providerUse({ ...ALL, upstreams: ["x"] })).toEqual({
        rows: [],
        unansweredAttempts: new Map(),
        upstreams: new Set(),
      });
    });

    test("and lists the upstreams with usage or attempts", async () => {
      await settle("r1", { upstream: "u", failedAttempts: [attempt({ upstream: "w" }), attempt({ upstream: "x", fault: "failed" })] });
      // PostgreSQL cannot store such characters in its texts.
      await settle("r3", { upstream: "u", failedAttempts: [attempt({ detail: "nul \0 char" }), attempt({ detail: "half \ud83d pair" })] });
      await settle("r2", { upstream: "y" });
      const { upstreams } = await records.providerUse({ ...ALL, upstreams: ["u", "v", "w", "x"] });
      expect([...upstreams].toSorted()).toEqual(["u", "w"]);
    });

    test("with every kind of token, and unmeasured ones separately", async () => {
      await settle("r1", {});
      await settle("r2", { provenance: "partial" });
      await settle("r3", { provenance: "estimated", usage: { ...USAGE, promptTokens: 100, completionTokens: 7 } });
      expect((await records.providerUse(ALL)).rows).toEqual([
        {
          upstreamModel: "u-m",
          costVersion: undefined,
          tier: 0,
          requests: 3,
          usage: { promptTokens: 122, completionTokens: 51, cachedTokens: 9, cacheWriteTokens: 12, reasoningTokens: 15 },
          unmeasuredRequests: 2,
          unmeasuredTokens: 33 + 107,
          startedBefore: 0,
        },
      ]);
    });

    test("with what was used besides tokens, by the options that multiply the rates", async () => {
      const uses = [used(1, 2), used(1, 2), used(3, 0), used(4, 1, "fast"), {}];
      for (const [at, changes] of uses.entries()) await settle(`r${at}`, changes);
      const { rows } = await records.providerUse(ALL);
      const summary = rows.map(({ requests, usage: { premium } }) => JSON.stringify([requests, premium]));
      expect(summary.toSorted()).toEqual([
        JSON.stringify([1, undefined]),
        JSON.stringify([1, { hourWriteTokens: 4, toolCalls: { web_search: 1 }, multipliers: ["fast"] }]),
        JSON.stringify([3, { hourWriteTokens: 5, toolCalls: { web_search: 4 }, multipliers: [] }]),
      ]);
    });

    test("by tier of the prompt length: the bound itself is in the lower tier", async () => {
      for (const [at, promptTokens] of [10, 11, 20, 21, 500].entries()) await settle(`r${at}`, { usage: { ...USAGE, promptTokens } });
      expect(summarizeRow(await records.providerUse({ ...ALL, tierBounds: [10, 20] }))).toEqual(["u-m 0 1", "u-m 1 2", "u-m 2 2"]);
    });

    test("by version of the cost price", async () => {
      for (const [at, costVersion] of ["c1", "c2", "c1", undefined].entries()) await settle(`r${at}`, { costVersion });
      const { rows } = await records.providerUse(ALL);
      expect(rows.map((row) => `${row.costVersion} ${row.requests}`).toSorted()).toEqual(["c1 2", "c2 1", "undefined 1"]);
    });

    test("by the end of the request, and counts those that started before the span", async () => {
      await settle("r1", { atMs: NOW - 1 });
      await settle("r2", { atMs: NOW }, NOW - 1);
      await settle("r3", { atMs: NOW + DAY_MS - 1 }, NOW);
      await settle("r4", { atMs: NOW + DAY_MS });
      const { rows } = await records.providerUse({ ...ALL, fromMs: NOW, toMs: NOW + DAY_MS });
      expect(rows).toMatchObject([{ requests: 2, startedBefore: 1 }]);
    });

    test("also where the wall clock was set back at the bounds of the span", async () => {
      const HALF_HOUR_MS = 30 * 60_000;
      const times = [
        NOW - DAY_MS,
        NOW,
        ...Array.from({ length: 10 }, () => NOW - HALF_HOUR_MS),
        NOW + HALF_HOUR_MS,
        ...Array.from({ length: 10 }, () => NOW + DAY_MS),
        NOW + DAY_MS - HALF_HOUR_MS,
        NOW + 2 * DAY_MS,
      ];
      for (const [at, atMs] of times.entries()) await settle(`r${at}`, { atMs, upstreamModel: `m${at}` });
      expect(summarizeRow(await records.providerUse({ ...ALL, fromMs: NOW, toMs: NOW + DAY_MS }))).toEqual([
        "m1 0 1",
        "m12 0 1",
        "m23 0 1",
      ]);
    });

    test("counts attempts that broke off or timed out, but not rejected ones", async () => {
      const failedAttempts = [attempt({}), attempt({ fault: "failed" }), attempt({ upstream: "w" }), attempt({ fault: "broken" })];
      await settle("r1", { upstreamModel: "b", failedAttempts });
      await store.hold(hold("r2", 1n));
      store.release("r2", "upstream_error", NOW, [attempt({ upstreamModel: "c" }), attempt({})]);
      await store.hold(hold("r3", 1n));
      store.release("r3", "upstream_error", NOW + 2000 * DAY_MS, [attempt({})]);
      const { unansweredAttempts } = await records.providerUse(ALL);
      expect(Object.fromEntries(unansweredAttempts)).toEqual({ a: 3, c: 1 });
    });

    test("over several slices, each request once", async () => {
      for (let at = 0; at < 2500; at++) await settle(`r${at}`, { upstreamModel: `m${at % 2}` });
      expect(summarizeRow(await records.providerUse(ALL))).toEqual(["m0 0 1250", "m1 0 1250"]);
    });
  });
}
