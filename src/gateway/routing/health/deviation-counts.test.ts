import { expect, test } from "bun:test";
import { DeviationCounts } from "./deviation-counts.ts";

test("deviations are counted for each model at each upstream", () => {
  const counts = new DeviationCounts();
  counts.note("vllm", "chat", "usage_missing");
  counts.note("groq", "chat", "role_repeated");
  counts.note("vllm", "chat", "usage_missing");
  counts.note("vllm", "chat", "id_changed");
  counts.note("vllm", "code", "usage_missing");
  expect(counts.snapshot()).toEqual([
    { upstream: "groq", model: "chat", counts: { role_repeated: 1 } },
    { upstream: "vllm", model: "chat", counts: { usage_missing: 2, id_changed: 1 } },
    { upstream: "vllm", model: "code", counts: { usage_missing: 1 } },
  ]);
});

test("the total tells whether something was counted", () => {
  const counts = new DeviationCounts();
  counts.note("u", "m", "usage_missing");
  counts.note("u", "m", "usage_missing");
  expect(counts.total).toBe(2);
});

test("a snapshot does not change", () => {
  const counts = new DeviationCounts();
  counts.note("u", "m", "usage_missing");
  const before = counts.snapshot();
  counts.note("u", "m", "usage_missing");
  expect(before).toEqual([{ upstream: "u", model: "m", counts: { usage_missing: 1 } }]);
});

test("beyond the maximum, the pair counted least recently is dropped", () => {
  const counts = new DeviationCounts();
  for (let at = 0; at < 10_000; at++) counts.note("u", `m${at}`, "usage_missing");
  counts.note("u", "m0", "usage_missing");
  counts.note("u", "new", "usage_missing");
  const models = new Set(counts.snapshot().map(({ model }) => model));
  expect(models.size).toBe(10_000);
  expect([models.has("m0"), models.has("m1"), models.has("new")]).toEqual([true, false, true]);
});
