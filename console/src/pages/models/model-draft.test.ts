import { expect, test } from "bun:test";
import type { Price, ShownModel } from "../../../../platform-client/types.ts";
import { draftOf, emptyDraft, needsPreview, parseNumber, toCreate, toUpdate } from "./model-draft.ts";

const RATES = {
  input_per_million: 1,
  output_per_million: 2,
  cached_input_per_million: 0.5,
  cache_write_per_million: 1,
  reasoning_per_million: 2,
};
const PRICE: Price = {
  version: "v",
  price_list: null,
  source: "operator",
  effective_at: "1970-01-01T00:00:00.000Z",
  ...RATES,
  tiers: [],
  multipliers: {},
  tool_fees: {},
};

const MODEL: ShownModel = {
  id: "m",
  owned_by: "acme",
  kind: "chat",
  created_at: "2026-01-01T00:00:00.000Z",
  state: "available",
  shutdown_date: null,
  replacement: null,
  deprecated_at: null,
  retired_at: null,
  price: PRICE,
  upcoming_prices: [],
  past_prices: [],
  context_window: 128_000,
  max_output_tokens: null,
  capabilities: ["tools"],
  routes: [
    {
      upstream: "u",
      model: "up",
      priority: 1,
      weight: 1,
      max_price: { input_per_million: 3, output_per_million: null },
      cost: null,
      defaults: {},
      headers: [],
      limits: null,
      excluded: null,
    },
  ],
};

test("creates a model without the fields that are empty", () => {
  const draft = emptyDraft();
  const routes = draft.routes.map((route) => ({ ...route, upstream: "u", model: " gpt " }));
  expect(toCreate({ ...draft, id: "new", routes })).toEqual({ id: "new", routes: [{ upstream: "u", model: "gpt" }] });
  expect(toCreate({ ...draft, id: "new", routes, pricing: "free", contextWindow: "128,000" })).toMatchObject({
    free: true,
    context_window: 128_000,
  });
});

test("sends only the edited fields", () => {
  const draft = draftOf(MODEL);
  expect(toUpdate(draft, MODEL)).toEqual({});
  expect(toUpdate({ ...draft, contextWindow: "", capabilities: ["tools", "images"] }, MODEL)).toEqual({
    context_window: null,
    capabilities: ["tools", "images"],
  });
});

test("reads the accounts as a list, null for none, and previews a change of them", () => {
  const restricted: ShownModel = { ...MODEL, accounts: ["acme", "beta"] };
  const draft = draftOf(restricted);
  expect(draft.accounts).toBe("acme, beta");
  const edited = (accounts: string): object => toUpdate({ ...draft, accounts }, restricted);
  expect([edited("acme, beta"), edited("acme,gamma "), edited(" ")]).toEqual([{}, { accounts: ["acme", "gamma"] }, { accounts: null }]);
  expect(needsPreview(edited(""))).toBe(true);
  expect(toCreate({ ...emptyDraft(), accounts: "acme" })).toMatchObject({ accounts: ["acme"] });
});

test("keeps the parts of a route's cost that have no field in the form", () => {
  const cost = { ...PRICE, effective_at: "2027-01-31T00:00:00.000Z" };
  const costly: ShownModel = { ...MODEL, routes: MODEL.routes!.map((route) => ({ ...route, max_price: null, cost })) };
  const draft = draftOf(costly);
  expect(draft.routes[0]).toMatchObject({ inputCost: "1", outputCost: "2" });
  const edited = (changed: object): object =>
    toUpdate({ ...draft, routes: draft.routes.map((route) => ({ ...route, ...changed })) }, costly);
  expect(edited({ inputCost: "4" })).toMatchObject({
    routes: [{ cost: { input_per_million: 4, output_per_million: 2, cached_input_per_million: 0.5, effective: "2027-01-31" } }],
  });
  expect(edited({ inputCost: "", outputCost: "" })).toEqual({ routes: [{ upstream: "u", model: "up", priority: 1, weight: 1 }] });
});

test("keeps a route's price cap, changes it, and removes it where both fields are empty", () => {
  const draft = draftOf(MODEL);
  const edited = (changed: object): object =>
    toUpdate({ ...draft, routes: draft.routes.map((route) => ({ ...route, ...changed })) }, MODEL);
  const route = { upstream: "u", model: "up", priority: 1, weight: 1 };
  expect(edited({ weight: "3" })).toEqual({ routes: [{ ...route, weight: 3, max_price: { input_per_million: 3 } }] });
  expect(edited({ maxInputPrice: "", maxOutputPrice: "7.5" })).toEqual({ routes: [{ ...route, max_price: { output_per_million: 7.5 } }] });
  expect(edited({ maxInputPrice: "" })).toEqual({ routes: [route] });
});

test("edits the default parameters of a route as JSON, and sends other text as it is", () => {
  const given: ShownModel = { ...MODEL, routes: MODEL.routes!.map((route) => ({ ...route, defaults: { temperature: 0.2 } })) };
  const draft = draftOf(given);
  expect(toUpdate(draft, given)).toEqual({});
  const edited = (defaults: string): unknown =>
    toUpdate({ ...draft, routes: draft.routes.map((route) => ({ ...route, defaults })) }, given).routes![0]!.defaults;
  expect([edited('{"stop": ["a"]}'), edited("{"), edited("")]).toEqual([{ stop: ["a"] }, "{", undefined]);
});

test("sends invalid numbers as text, for the server to reject", () => {
  const draft = { ...draftOf(MODEL), pricing: "set" as const };
  const price = { ...draft.price, input_per_million: "2.5", output_per_million: "ten", cached_input_per_million: "" };
  const body = toUpdate({ ...draft, price }, MODEL);
  expect(body.price).toEqual({
    input_per_million: 2.5,
    output_per_million: "ten" as unknown as number,
  });
  expect([needsPreview(body), needsPreview({ owned_by: "x" })]).toEqual([true, false]);
});

test("adds a scheduled price after the current one", () => {
  const coming: Price = { ...PRICE, effective_at: "2027-05-01T00:00:00.000Z" };
  const draft = { ...draftOf(MODEL), pricing: "set" as const };
  const later = { ...draft, price: { ...draft.price, effective: "2027-03-01" } };
  expect(toUpdate(later, { ...MODEL, upcoming_prices: [coming] }).prices).toEqual([
    RATES,
    { input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.5, effective: "2027-03-01" },
    { ...RATES, effective: "2027-05-01" },
  ]);
  expect(toUpdate(later, { ...MODEL, upcoming_prices: [{ ...coming, effective_at: "2027-03-01T00:00:00.000Z" }] }).prices).toHaveLength(2);
});

test("parses the numbers of a tier", () => {
  const draft = { ...draftOf(MODEL), pricing: "set" as const };
  const tiers = [
    { above_input_tokens: "200,000", input_per_million: "2.50", output_per_million: 10 },
  ] as unknown as typeof draft.price.tiers;
  expect(toUpdate({ ...draft, price: { ...draft.price, tiers } }, MODEL).price?.tiers).toEqual([
    { above_input_tokens: 200_000, input_per_million: 2.5, output_per_million: 10 },
  ]);
});

test("falls back to the provider's list price when a custom price is removed", () => {
  expect(toUpdate({ ...draftOf(MODEL), pricing: "default" }, MODEL)).toEqual({ free: false });
});

test("parses numbers with thousands separators", () => {
  expect([parseNumber("1,048,576"), parseNumber("0.5"), parseNumber("1,2") as unknown, parseNumber("") as unknown]).toEqual([
    1_048_576,
    0.5,
    "1,2",
    "",
  ]);
});

test("an embedding model needs an input price only, and no output cost", () => {
  const draft = { ...emptyDraft(), id: "vectors", kind: "embedding" as const, pricing: "set" as const };
  const price = { ...draft.price, input_per_million: "0.02", output_per_million: "7" };
  const routes = [{ ...draft.routes[0]!, upstream: "u", model: "v", inputCost: "0.01" }];
  expect(toCreate({ ...draft, price, routes })).toMatchObject({ kind: "embedding", price: { input_per_million: 0.02 } });
  expect(Object.keys(toCreate({ ...draft, price, routes }).price!)).toEqual(["input_per_million"]);
  expect(toCreate({ ...draft, price, routes }).routes[0]!.cost).toEqual({ input_per_million: 0.01 });
  expect(toCreate({ ...draft, kind: "chat", price: { ...price, output_per_million: "" }, routes }).price).toEqual({
    input_per_million: 0.02,
    output_per_million: "" as unknown as number,
  });
});
