import { expect, test } from "bun:test";
import { plainModel, type Catalog, type Model } from "../models/catalog.ts";
import { FREE } from "../money/price.ts";
import { ModelLists } from "./serialized-model-lists.ts";

const modelOf = (id: string, effectiveAtMs = 0): Model => ({
  ...plainModel(id, { upstream: "u", upstreamModel: id }),
  prices: [{ ...FREE, effectiveAtMs }],
});
const catalogOf = (...models: Model[]): Catalog => new Map(models.map((model) => [model.id, model]));
const ALL = { models: ["*"] };
const ACCOUNT = { id: "acme", ...ALL };
const idsIn = (list: Uint8Array): string[] =>
  (JSON.parse(Buffer.from(list).toString()) as { data: { id: string }[] }).data.map(({ id }) => id);

test("a list is cached for all keys with the same allowed models, until a model changes", () => {
  const lists = new ModelLists();
  const catalog = catalogOf(modelOf("a"), modelOf("b"));
  const first = lists.listFor({ models: ["*"] }, ACCOUNT, catalog, 1);
  expect(idsIn(first)).toEqual(["a", "b"]);
  expect(lists.listFor({ models: ["*"] }, { id: "beta", models: ["*"] }, catalog, 2)).toBe(first);
  expect(idsIn(lists.listFor(ALL, ACCOUNT, catalogOf(modelOf("b")), 3))).toEqual(["b"]);
});

test("keys with other allowed models get another list", () => {
  const lists = new ModelLists();
  const catalog = catalogOf(modelOf("a"), modelOf("b"));
  expect(idsIn(lists.listFor({ models: ["a"] }, ACCOUNT, catalog, 1))).toEqual(["a"]);
  expect(idsIn(lists.listFor(ALL, { id: "acme", models: ["b"] }, catalog, 1))).toEqual(["b"]);
  expect(idsIn(lists.listFor({ models: ["a"] }, { id: "acme", models: ["b"] }, catalog, 1))).toEqual([]);
  expect(idsIn(lists.listFor({ models: ["a", "b"] }, ACCOUNT, catalog, 1))).toEqual(["a", "b"]);
});

test("an account that a model names has a list of its own; all others share one", () => {
  const lists = new ModelLists();
  const catalog = catalogOf(modelOf("a"), { ...modelOf("b"), accounts: new Set(["acme"]) });
  const listOf = (id: string): Uint8Array => lists.listFor(ALL, { id, models: ["*"] }, catalog, 1);
  expect(["beta", "acme", "beta", "acme"].map((id) => idsIn(listOf(id)))).toEqual([["a"], ["a", "b"], ["a"], ["a", "b"]]);
  expect(listOf("gamma")).toBe(listOf("beta"));
});

test("a model is listed from the moment its price takes effect", () => {
  const lists = new ModelLists();
  const catalog = catalogOf(modelOf("a"), modelOf("b", 100));
  expect(idsIn(lists.listFor(ALL, ACCOUNT, catalog, 99))).toEqual(["a"]);
  expect(idsIn(lists.listFor(ALL, ACCOUNT, catalog, 100))).toEqual(["a", "b"]);
});
