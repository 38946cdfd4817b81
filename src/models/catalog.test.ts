import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { FREE } from "../money/price.ts";
import { isCovered, mayCall, plainModel, type Model } from "./catalog.ts";
import { MODEL_PATTERN } from "./model-id.ts";

const model: Model = { ...plainModel("gpt-4o", { upstream: "u", upstreamModel: "gpt-4o" }), prices: [FREE] };

const ALL = { models: ["*"] };
const ACCOUNT = { id: "acme", ...ALL };

test("a pattern matches its own id, its prefix, or everything", () => {
  const cases: [string, boolean][] = [
    ["gpt-4o", true],
    ["gpt-*", true],
    ["*", true],
    ["gpt-4o*", true],
    ["gpt-4", false],
    ["GPT-4o", false],
    ["o*", false],
  ];
  for (const [pattern, covered] of cases) expect([pattern, isCovered([pattern], model.id)]).toEqual([pattern, covered]);
  expect(isCovered([], model.id)).toBe(false);
});

test("a prefix matches exactly the ids that start with it", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-c-]{0,4}$/), fc.stringMatching(/^[a-c-]{1,6}$/), (prefix, id) => {
      expect(isCovered([`${prefix}*`], id)).toBe(id.startsWith(prefix));
    }),
  );
});

test("a deprecated model can be called, a retired one cannot", () => {
  expect(mayCall(ALL, ACCOUNT, { ...model, state: { name: "deprecated", shutdownDate: "2027-01-31", replacement: "b" } }, 0)).toBe(true);
  expect(mayCall(ALL, ACCOUNT, { ...model, state: { name: "retired", replacement: "b" } }, 0)).toBe(false);
});

test("a call must be allowed by its key and by its account", () => {
  const lists = ["*", "gpt-*", "gpt-4o", "claude-*"].map((pattern) => ({ id: "acme", models: [pattern] }));
  const other = lists[3]!;
  for (const key of lists) {
    for (const account of lists) expect(mayCall(key, account, model, 0)).toBe(key !== other && account !== other);
  }
  expect(mayCall(ALL, { id: "acme", models: [] }, model, 0)).toBe(false);
});

test("a model with accounts can be called by these accounts only, within the lists of keys and accounts", () => {
  const restricted = { ...model, accounts: new Set(["acme", "beta"]) };
  const may = ["acme", "beta", "gamma"].map((id) => mayCall(ALL, { id, models: ["*"] }, restricted, 0));
  expect(may).toEqual([true, true, false]);
  expect(mayCall({ models: ["claude-*"] }, ACCOUNT, restricted, 0)).toBe(false);
  expect(mayCall(ALL, { id: "acme", models: ["claude-*"] }, restricted, 0)).toBe(false);
});

test("a model without a price in force cannot be called", () => {
  expect(mayCall(ALL, ACCOUNT, { ...model, prices: [] }, 0)).toBe(false);
  expect(mayCall(ALL, ACCOUNT, { ...model, prices: [{ ...FREE, effectiveAtMs: 10 }] }, 9)).toBe(false);
  expect(mayCall(ALL, ACCOUNT, { ...model, prices: [{ ...FREE, effectiveAtMs: 10 }] }, 10)).toBe(true);
});

test("a star is valid only alone or at the end", () => {
  const pattern = new RegExp(MODEL_PATTERN, "u");
  for (const good of ["*", "a", "a*", "meta/llama-3.1:70b*"]) expect(pattern.test(good)).toBe(true);
  for (const bad of ["", "a*b", "*a", "**", "a b"]) expect(pattern.test(bad)).toBe(false);
});
