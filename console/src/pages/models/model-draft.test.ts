import { expect, test } from "bun:test";
import type { Price, ShownModel } from "../../platform/interface.ts";
import { changesPrice, draftOf, emptyDraft, figure, toCreate, toUpdate } from "./model-draft.ts";

const RATES = {
  input_per_million: 1,
  output_per_million: 2,
  cached_input_per_million: 0.5,
  cache_write_per_million: 1,
  reasoning_per_million: 2,
};
const PRICE: Price = { version: "v", source: "operator", effective_at: "1970-01-01T00:00:00.000Z", ...RATES, tiers: [] };

const MODEL: ShownModel = {
  id: "m",
  owned_by: "acme",
  created_at: "2026-01-01T00:00:00.000Z",
  state: "available",
  shutdown_date: null,
  replacement: null,
  deprecated_at: null,
  retired_at: null,
  price: PRICE,
  coming_prices: [],
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
      left_out: null,
    },
  ],
};

test("a new model has what was typed, and nothing that was left empty", () => {
  const draft = emptyDraft();
  const routes = draft.routes.map((route) => ({ ...route, upstream: "u", model: " gpt " }));
  expect(toCreate({ ...draft, id: "new", routes })).toEqual({ id: "new", routes: [{ upstream: "u", model: "gpt" }] });
  expect(toCreate({ ...draft, id: "new", routes, pricing: "free", contextWindow: "128,000" })).toMatchObject({
    free: true,
    context_window: 128_000,
  });
});

test("an edit that changes nothing sends nothing, and one of a field only that", () => {
  const draft = draftOf(MODEL);
  expect(toUpdate(draft, MODEL)).toEqual({});
  expect(toUpdate({ ...draft, contextWindow: "", capabilities: ["tools", "images"] }, MODEL)).toEqual({
    context_window: null,
    capabilities: ["tools", "images"],
  });
});

test("an edit of a route keeps what its cost has beside the two rates that are shown", () => {
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

test("an edit of a route keeps the cap that the form does not show", () => {
  const draft = draftOf(MODEL);
  const routes = draft.routes.map((route) => ({ ...route, weight: "3" }));
  expect(toUpdate({ ...draft, routes }, MODEL)).toEqual({
    routes: [{ upstream: "u", model: "up", priority: 1, weight: 3, max_price: { input_per_million: 3 } }],
  });
});

test("a price is sent as it was typed, also what is no number, for the platform to refuse", () => {
  const draft = { ...draftOf(MODEL), pricing: "set" as const };
  const price = { ...draft.price, input_per_million: "2.5", output_per_million: "ten", cached_input_per_million: "" };
  const body = toUpdate({ ...draft, price }, MODEL);
  expect(body.price).toEqual({
    input_per_million: 2.5,
    output_per_million: "ten" as unknown as number,
  });
  expect([changesPrice(body), changesPrice({ owned_by: "x" })]).toEqual([true, false]);
});

test("a price of a later day comes after the one in force, which stays until then", () => {
  const coming: Price = { ...PRICE, effective_at: "2027-05-01T00:00:00.000Z" };
  const draft = { ...draftOf(MODEL), pricing: "set" as const };
  const later = { ...draft, price: { ...draft.price, effective: "2027-03-01" } };
  expect(toUpdate(later, { ...MODEL, coming_prices: [coming] }).prices).toEqual([
    RATES,
    { input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.5, effective: "2027-03-01" },
    { ...RATES, effective: "2027-05-01" },
  ]);
  expect(toUpdate(later, { ...MODEL, coming_prices: [{ ...coming, effective_at: "2027-03-01T00:00:00.000Z" }] }).prices).toHaveLength(2);
});

test("a tier is sent in figures, however it was typed", () => {
  const draft = { ...draftOf(MODEL), pricing: "set" as const };
  const tiers = [
    { above_input_tokens: "200,000", input_per_million: "2.50", output_per_million: 10 },
  ] as unknown as typeof draft.price.tiers;
  expect(toUpdate({ ...draft, price: { ...draft.price, tiers } }, MODEL).price?.tiers).toEqual([
    { above_input_tokens: 200_000, input_per_million: 2.5, output_per_million: 10 },
  ]);
});

test("the provider's own prices count again where a declared one is taken away", () => {
  expect(toUpdate({ ...draftOf(MODEL), pricing: "default" }, MODEL)).toEqual({ free: false });
});

test("figures may have their thousands apart", () => {
  expect([figure("1,048,576"), figure("0.5"), figure("1,2") as unknown, figure("") as unknown]).toEqual([1_048_576, 0.5, "1,2", ""]);
});
