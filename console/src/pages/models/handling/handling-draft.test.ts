import { expect, test } from "bun:test";
import type { Model } from "../../../../../platform-client/types.ts";
import { editedHandling, emptyParameter, handlingDraftOf } from "./handling-draft.ts";

const MODEL = {
  sticky: false,
  cache: { ttl_seconds: 60, price_percent: 10 },
  timeouts: { total_ms: 9000 },
  parameters: { logprobs: "drop", seed: { rename: "random_seed" } },
  unknown_parameters: "refuse",
} as unknown as Model;

test("an unedited draft changes nothing", () => {
  expect(editedHandling(handlingDraftOf(MODEL), handlingDraftOf(MODEL))).toEqual({});
  expect(editedHandling(handlingDraftOf(), handlingDraftOf())).toEqual({});
});

test("cleared fields become null, and the rules are replaced as a whole", () => {
  const before = handlingDraftOf(MODEL);
  const cleared = { ...before, sticky: "" as const, cacheTtl: "", cachePrice: "", parameters: [], unknownParameters: "" as const };
  expect(editedHandling({ ...cleared, timeouts: { ...before.timeouts, total_ms: " ", connect_ms: "500" } }, before)).toEqual({
    sticky: null,
    cache: null,
    timeouts: { total_ms: null, connect_ms: 500 },
    parameters: {},
    unknown_parameters: null,
  });
});

test("a rule without a name is skipped, and text that is no number is sent as it is", () => {
  const before = handlingDraftOf(MODEL);
  const parameters = [...before.parameters, emptyParameter(), { ...emptyParameter(), name: " user " }];
  expect(editedHandling({ ...before, parameters, cacheTtl: "an hour" }, before) as unknown).toEqual({
    cache: { ttl_seconds: "an hour", price_percent: 10 },
    parameters: { logprobs: "drop", seed: { rename: "random_seed" }, user: "drop" },
  });
});
