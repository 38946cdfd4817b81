import { expect, test } from "bun:test";
import type { LedgerStore, Progress } from "../../stores/ledger/ledger-store.ts";
import { plainModel } from "../../models/catalog.ts";
import { makePrice } from "../../money/price.ts";
import type { CountedUsage } from "../../money/usage.ts";
import { DeviationCounts } from "../routing/health/deviation-counts.ts";
import { Admission } from "./admission.ts";

const RATES = { inputPicos: 1000n, cachedInputPicos: 1000n, cacheWritePicos: 1000n, outputPicos: 2000n, reasoningPicos: 2000n };

const COUNTED: CountedUsage = {
  usage: { promptTokens: 3, completionTokens: 2, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  provenance: "estimated",
};

/** The progress of a request, as the ledger reads it. */
function watched(): { readonly admission: Admission; readonly look: () => Progress | undefined } {
  const looks = new Map<string, () => Progress | undefined>();
  const ledger = { watch: (id: string, look: () => Progress | undefined) => looks.set(id, look) } as unknown as LedgerStore;
  const admission = new Admission({
    requestId: "r1",
    accountId: "acme",
    model: plainModel("m", { upstream: "first", upstreamModel: "m" }),
    findUpstream: () => undefined,
    price: makePrice({ effectiveAtMs: 0, source: "operator", rates: RATES, tiers: [] }),
    premium: undefined,
    promptEstimate: 3,
    promptDerivation: undefined,
    maxInputTokens: 3,
    plausibleInputTokens: 3,
    choices: 1,
    maxTokens: undefined,
    maxOutputTokens: 10,
    maxCostNanos: undefined,
    fallbacks: [],
    cache: undefined,
    ledger,
    limits: { end: () => undefined, undo: () => undefined },
    deviations: new DeviationCounts(),
    onDisconnect: () => "read",
    nowMs: () => 1000,
  });
  admission.watch(() => COUNTED);
  return { admission, look: looks.get("r1")! };
}

test("reports the upstream in flight, and the charge after a crash, to the ledger", () => {
  const { admission, look } = watched();
  admission.upstream = "first";
  admission.upstreamModel = "first-model";
  expect(look()).toEqual({ ...COUNTED, costNanos: 7n, upstream: "first", upstreamModel: "first-model" });
  admission.upstream = "second";
  expect(look()?.upstream).toBe("second");
});

test("reports the upstream cost that a settlement would have", () => {
  const { admission, look } = watched();
  admission.upstream = "first";
  admission.cost = makePrice({ effectiveAtMs: 0, source: "operator", rates: { ...RATES, outputPicos: 1000n }, tiers: [] });
  expect(look()).toMatchObject({ costNanos: 7n, costVersion: admission.cost.version, upstreamCostNanos: 5n });
});

test("reports no progress before the first attempt and between two: a crash then charges nothing", () => {
  const { admission, look } = watched();
  expect(look()).toBeUndefined();
  admission.upstream = "first";
  admission.upstream = undefined;
  expect(look()).toBeUndefined();
});
