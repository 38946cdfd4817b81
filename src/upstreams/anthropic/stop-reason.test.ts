import { expect, test } from "bun:test";
import type { Deviation } from "../../models/deviation.ts";
import { finishReasonOf } from "./stop-reason.ts";

test.each([
  ["end_turn", false, "stop", []],
  ["stop_sequence", false, "stop", []],
  ["pause_turn", false, "stop", []],
  ["max_tokens", false, "length", []],
  ["max_tokens", true, "length", []],
  ["model_context_window_exceeded", false, "length", []],
  ["tool_use", true, "tool_calls", []],
  ["refusal", false, "content_filter", []],
  ["end_turn", true, "tool_calls", ["finish_reason_wrong"]],
  ["tool_use", false, "stop", ["finish_reason_wrong"]],
  ["toString", false, "stop", ["finish_reason_unknown"]],
  [null, true, "tool_calls", ["finish_reason_unknown"]],
] as const)("%s, with calls: %p, is %s", (stopReason, hasToolCalls, expected, deviations) => {
  const reported: Deviation[] = [];
  expect(finishReasonOf(stopReason, hasToolCalls, { report: (deviation) => void reported.push(deviation) })).toBe(expected);
  expect<readonly Deviation[]>(reported).toEqual(deviations);
});
