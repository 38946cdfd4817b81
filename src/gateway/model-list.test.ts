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
const idsIn = (list: Uint8Array): string[] =>
  (JSON.parse(Buffer.from(list).toString()) as { data: { id: string }[] }).data.map(({ id }) => id);

test("a list is cached for all keys with the same allowed models, until a model changes", () => {
  const lists = new ModelLists();
  const catalog = catalogOf(modelOf("a"), modelOf("b"));
  const first = lists.listFor({ models: ["*"] }, ALL, catalog, 1);
  expect(idsIn(first)).toEqual(["a", "b"]);
  expect(lists.listFor({ models: ["*"] }, { models: ["*"] }, catalog, 2)).toBe(first);
  expect(idsIn(lists.listFor(ALL, ALL, catalogOf(modelOf("b")), 3))).toEqual(["b"]);
});

test("keys with other allowed models get another list", () => {
  const lists = new ModelLists();
  const catalog = catalogOf(modelOf("a"), modelOf("b"));
  expect(idsIn(lists.listFor({ models: ["a"] }, ALL, catalog, 1))).toEqual(["a"]);
  expect(idsIn(lists.listFor(ALL, { models: ["b"] }, catalog, 1))).toEqual(["b"]);
  expect(idsIn(lists.listFor({ models: ["a"] }, { models: ["b"] }, catalog, 1))).toEqual([]);
  expect(idsIn(lists.listFor({ models: ["a", "b"] }, ALL, catalog, 1))).toEqual(["a", "b"]);
});

test("a model is listed from the moment its price takes effect", () => {
  const lists = new ModelLists();
  const catalog = catalogOf(modelOf("a"), modelOf("b", 100));
  expect(idsIn(lists.listFor(ALL, ALL, catalog, 99))).toEqual(["a"]);
  expect(idsIn(lists.listFor(ALL, ALL, catalog, 100))).toEqual(["a", "b"]);
});
