import { expect, test } from "bun:test";
import { plainModel, type Model } from "./catalog.ts";
import { FREE, makePrice, type Price } from "../money/price.ts";
import { expandWildcard, type PricedModels } from "./wildcard.ts";

const PUBLISHED: Price = makePrice({
  effectiveAtMs: 0,
  source: "default",
  rates: { inputPicos: 1n, cachedInputPicos: 1n, cacheWritePicos: 1n, outputPicos: 2n, reasoningPicos: 2n },
  tiers: [],
});

/** The lists of upstreams: the names that they list, and whether each name has published prices. */
function lists(of: Record<string, Record<string, boolean>>): (upstream: string) => PricedModels | undefined {
  return (upstream) => {
    const listed = of[upstream];
    const models = Object.entries(listed ?? {}).map(([name, hasPrice]) => ({
      name,
      upstreamModel: `their-${name}`,
      ownedBy: upstream,
      createdSeconds: 7,
      contextWindow: 1000,
      publishedPrices: hasPrice ? [PUBLISHED] : [],
    }));
    return listed && { upstream, baseUrl: "https://a.example/v1", models, foundAtMs: 0 };
  };
}

function wildcard(id: string, routes: readonly [upstream: string, model: string][], more: Partial<Model> = {}): Model {
  const plain = plainModel(id, { upstream: "u", upstreamModel: "*" });
  return { ...plain, routes: routes.map(([upstream, upstreamModel]) => ({ ...plain.routes[0]!, upstream, upstreamModel })), ...more };
}

test("stands for the listed models that have a published price, each with its own price and limits", () => {
  const models = expandWildcard(wildcard("openai/*", [["u", "*"]]), lists({ u: { "gpt-a": true, "gpt-b": false } }));
  expect(models).toMatchObject([
    {
      id: "openai/gpt-a",
      expandedFrom: "openai/*",
      ownedBy: "u",
      createdSeconds: 7,
      contextWindow: 1000,
      prices: [PUBLISHED],
      routes: [{ upstream: "u", upstreamModel: "their-gpt-a", publishedPrices: [PUBLISHED] }],
    },
  ]);
  expect(models).toHaveLength(1);
});

test("the price and limits of the wildcard model apply to each, also where nothing is published", () => {
  const free = wildcard("*", [["u", "*"]], { prices: [FREE], contextWindow: 5 });
  const models = expandWildcard(free, lists({ u: { a: true, b: false } }));
  expect(models.map(({ id, prices, contextWindow }) => [id, prices, contextWindow])).toEqual([
    ["a", [FREE], 5],
    ["b", [FREE], 5],
  ]);
});

test("each has the accounts of the wildcard model", () => {
  const restricted = wildcard("*", [["u", "*"]], { accounts: new Set(["acme"]) });
  expect(expandWildcard(restricted, lists({ u: { a: true } })).map(({ accounts }) => accounts)).toEqual([new Set(["acme"])]);
});

test("the * of the id is the * of the route; other names are not part of it", () => {
  const models = expandWildcard(wildcard("fast/*", [["u", "gpt-*"]]), lists({ u: { "gpt-4": true, o3: true, "gpt-": true } }));
  expect(models.map(({ id }) => id)).toEqual(["fast/4", "fast/"]);
});

test("the * of the mirror is the * of the id", () => {
  const mirror = { upstream: "old", upstreamModel: "openai/*", percent: 5 };
  const models = expandWildcard(wildcard("fast/*", [["u", "gpt-*"]], { mirror }), lists({ u: { "gpt-4": true } }));
  expect(models.map((model) => model.mirror)).toEqual([{ ...mirror, upstreamModel: "openai/4" }]);
});

test("a model of several upstreams has a route to each that lists it", () => {
  const models = expandWildcard(
    wildcard("*", [
      ["u", "*"],
      ["v", "*"],
      ["unlisted", "*"],
    ]),
    lists({ u: { a: true }, v: { a: true, b: true } }),
  );
  expect(models.map(({ id, routes }) => [id, routes.map(({ upstream }) => upstream)])).toEqual([
    ["a", ["u", "v"]],
    ["b", ["v"]],
  ]);
});

test("stands for models of its own kind only; a list of an earlier version has chat models", () => {
  const price = makePrice({ ...PUBLISHED, rates: { ...PUBLISHED.rates, outputPicos: 0n } });
  const listed = { upstreamModel: "m", ownedBy: "u", createdSeconds: 7, publishedPrices: [price] };
  const models = [
    { ...listed, name: "old" },
    { ...listed, name: "gpt", kind: "chat" as const },
    { ...listed, name: "vectors", kind: "embedding" as const },
  ];
  const idsOf = (kind: "chat" | "embedding"): string[] =>
    expandWildcard(wildcard("*", [["u", "*"]], { kind }), () => ({
      upstream: "u",
      baseUrl: "https://a.example",
      models,
      foundAtMs: 0,
    })).map(({ id }) => id);
  expect(idsOf("chat")).toEqual(["old", "gpt"]);
  expect(idsOf("embedding")).toEqual(["vectors"]);
});
