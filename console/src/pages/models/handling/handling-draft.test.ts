import { expect, test } from "bun:test";
import type { Model } from "../../../../../platform-client/types.ts";
import { emptyFallback } from "./fallbacks-draft.ts";
import { editedHandling, emptyParameter, handlingDraftOf } from "./handling-draft.ts";

const MODEL = {
  sticky: false,
  cache: { ttl_seconds: 60, price_percent: 10 },
  mirror: { upstream: "old", model: "gpt", percent: 5 },
  timeouts: { total_ms: 9000 },
  parameters: { logprobs: "drop", seed: { rename: "random_seed" } },
  unknown_parameters: "refuse",
  fallback_models: [{ model: "other", on: ["error", "context_length"] }],
} as unknown as Model;

test("an unedited draft changes nothing", () => {
  expect(editedHandling(handlingDraftOf(MODEL), handlingDraftOf(MODEL))).toEqual({});
  expect(editedHandling(handlingDraftOf(), handlingDraftOf())).toEqual({});
});

test("cleared fields become null, and the rules are replaced as a whole", () => {
  const before = handlingDraftOf(MODEL);
  const cleared = {
    ...before,
    sticky: "" as const,
    cacheTtl: "",
    cachePrice: "",
    parameters: [],
    unknownParameters: "" as const,
    fallbacks: [],
    mirror: { ...before.mirror, upstream: null },
  };
  expect(editedHandling({ ...cleared, timeouts: { ...before.timeouts, total_ms: " ", connect_ms: "500" } }, before)).toEqual({
    sticky: null,
    cache: null,
    mirror: null,
    timeouts: { total_ms: null, connect_ms: 500 },
    parameters: {},
    unknown_parameters: null,
    fallback_models: [],
  });
});

test("fallbacks are replaced as a whole, in order, without those that have no model", () => {
  const before = handlingDraftOf(MODEL);
  const fallbacks = [{ ...emptyFallback(), model: " first " }, ...before.fallbacks, emptyFallback()];
  expect(editedHandling({ ...before, fallbacks }, before)).toEqual({
    fallback_models: [
      { model: "first", on: ["error"] },
      { model: "other", on: ["error", "context_length"] },
    ],
  });
});

test("a rule without a name is skipped, and text that is not a number is sent as it is", () => {
  const before = handlingDraftOf(MODEL);
  const parameters = [...before.parameters, emptyParameter(), { ...emptyParameter(), name: " user " }];
  const mirror = { ...before.mirror, percent: "half" };
  expect(editedHandling({ ...before, parameters, cacheTtl: "an hour", mirror }, before) as unknown).toEqual({
    mirror: { upstream: "old", model: "gpt", percent: "half" },
    cache: { ttl_seconds: "an hour", price_percent: 10 },
    parameters: { logprobs: "drop", seed: { rename: "random_seed" }, user: "drop" },
  });
});
