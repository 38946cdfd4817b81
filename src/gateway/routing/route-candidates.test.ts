import { describe, expect, test } from "bun:test";
import { Candidates, eject } from "../../../test/routes/candidates.ts";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import { plainModel, type MaxPrice, type Model } from "../../models/catalog.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import type { PresetId } from "../../models/presets.ts";
import { FREE, makePrice, type Price } from "../../money/price.ts";
import { MemoryLimitStore } from "../../stores/limits/memory-limit-store.ts";
import { findCandidates, statusOf } from "./route-candidates.ts";
import { UpstreamStates } from "./health/upstream-state.ts";

const NOW_MS = 1_000_000;

const uncalled = (): Promise<never> => Promise.reject(new Error("this upstream must not be called"));

function upstream(id: string, preset?: PresetId): Upstream {
  const settings = remoteAt(id, preset, { baseUrl: `https://${id}.example/v1`, allowPrivate: false }, []);
  return { settings, complete: uncalled, stream: uncalled };
}

const UPSTREAMS = [upstream("plain"), upstream("claude", "anthropic")];

function findUpstream(id: string): Upstream | undefined {
  return UPSTREAMS.find(({ settings }) => settings.id === id);
}

/** The candidates and the excluded routes of a model with these upstreams. */
function sort(
  ids: readonly string[],
  body: Record<string, unknown>,
  more: Partial<Model> = {},
): { candidates: string[]; excluded: string[] } {
  const routes = ids.map((id) => plainModel("m", { upstream: id, upstreamModel: "claude-opus-4-1" }).routes[0]!);
  const { candidates, excluded } = findCandidates({ ...plainModel("m", routes[0]!), routes, ...more }, chatOf(body), {
    account: "acme",
    findUpstream,
    states: new UpstreamStates(() => 0),
    nowMs: NOW_MS,
    limiting: { limits: new MemoryLimitStore(), monotonicMs: () => 0 },
  });
  return {
    candidates: candidates.map(({ route }) => route.upstream),
    excluded: excluded.map(({ route, reason, refused = [] }) => [`${route.upstream}: ${reason}`, ...refused].join(" ")),
  };
}

test("a route whose upstream was removed is excluded", () => {
  expect(sort(["plain", "gone"], {})).toEqual({ candidates: ["plain"], excluded: ["gone: no_upstream"] });
});

test("a drained route gets no calls, also where it is the only one", () => {
  const [route] = plainModel("m", { upstream: "plain", upstreamModel: "x" }).routes;
  const drained = { ...route!, weight: 0 };
  expect(sort(["plain"], {}, { routes: [drained, route!] })).toEqual({ candidates: ["plain"], excluded: ["plain: drained"] });
  expect(sort(["plain"], {}, { routes: [drained] })).toEqual({ candidates: [], excluded: ["plain: drained"] });
});

test("a route that does not support a required parameter is excluded", () => {
  const body = { messages: [{ role: "user", content: "hi" }], seed: 7 };
  const parameters = { seed: "refuse" } as const;
  expect(sort(["plain", "claude"], body).candidates).toEqual(["plain", "claude"]);
  expect(sort(["plain", "claude"], body, { parameters })).toEqual({
    candidates: [],
    excluded: ["plain: unsupported_parameters seed", "claude: unsupported_parameters seed"],
  });
  expect(sort(["plain", "claude"], { ...body, n: 2 })).toEqual({ candidates: ["plain"], excluded: ["claude: unsupported_parameters n"] });
  expect(sort(["claude"], { ...body, n: 2, top_logprobs: 0 }, { parameters }).excluded).toEqual(["claude: unsupported_parameters seed n"]);
});

/** The result for a route with this price cap. */
function sortCapped(maxPrice: MaxPrice, publishedPrices: readonly Price[]): string[] {
  const route = { ...plainModel("m", { upstream: "plain", upstreamModel: "x" }).routes[0]!, maxPrice, publishedPrices };
  const { candidates, excluded } = sort(["plain"], {}, { routes: [route] });
  return [...candidates, ...excluded];
}

describe("a price cap", () => {
  const price: Price = makePrice({ ...FREE, rates: { ...FREE.rates, inputPicos: 3_000_000n, outputPicos: 15_000_000n } });
  const later: Price = makePrice({ ...price, effectiveAtMs: NOW_MS + 1, rates: { ...price.rates, inputPicos: 9_000_000n } });

  test.each([
    ["at the price itself", { inputPicos: 3_000_000n, outputPicos: 15_000_000n }, [price, later], "plain"],
    ["below the price of the input", { inputPicos: 2_999_999n, outputPicos: undefined }, [price], "plain: over_price_cap"],
    ["below the price of the output", { inputPicos: undefined, outputPicos: 14_999_999n }, [price], "plain: over_price_cap"],
    ["of one kind alone", { inputPicos: 3_000_000n, outputPicos: undefined }, [price], "plain"],
    ["without a published price", { inputPicos: 3_000_000n, outputPicos: undefined }, [], "plain: price_unknown"],
  ] as [string, MaxPrice, Price[], string][])("%s decides whether a route is used", (_where, maxPrice, prices, expected) => {
    expect(sortCapped(maxPrice, prices)).toEqual([expected]);
  });
});

describe("a route is", () => {
  test("ready, full, cooling, out or due", () => {
    const make = new Candidates();
    const candidate = make.make("a", { concurrency: { maxCalls: 1 } });
    expect(statusOf(candidate)).toBe("ready");
    void candidate.state.slots.take(new AbortController().signal);
    expect(statusOf(candidate)).toBe("full");
    candidate.state.credentials[0]!.noteFault({ kind: "busy" }, "m");
    expect(statusOf(candidate)).toBe("cooling");
    eject(candidate);
    expect(statusOf(candidate)).toBe("ejected");
    const other = make.make("b");
    eject(other);
    make.nowMs += 5000;
    expect(statusOf(other)).toBe("probing");
  });

  test("not cooling while another model of its upstream has a rate limit", () => {
    const make = new Candidates();
    const large = make.make("a");
    large.state.credentials[0]!.noteFault({ kind: "busy" }, "m");
    expect([statusOf(large), statusOf(make.another(large, "small"))]).toEqual(["cooling", "ready"]);
  });

  test("cooling where the request has tried all of its credentials", () => {
    const candidate = new Candidates().make("a", { credentials: 2 });
    expect(statusOf(candidate, [])).toBe("cooling");
    expect(statusOf(candidate, candidate.state.credentials.slice(1))).toBe("ready");
  });
});
