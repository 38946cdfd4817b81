import { describe, expect, test } from "bun:test";
import { isOn, toThinking, type Circumstances } from "./anthropic-thinking.ts";
import type { Turn } from "./anthropic-turns.ts";

const QUESTION: Turn = { role: "user", content: [{ type: "text", text: "Hello!" }] };
const USE = { type: "tool_use", id: "a", name: "weather", input: {} };
const THOUGHT = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
const RESULT: Turn = { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] };

function told(body: Record<string, unknown>, more: Partial<Circumstances> = {}): unknown {
  return toThinking(body, { upstreamModel: "claude-sonnet-4-5", maxTokens: 10_000, turns: [QUESTION], isForced: false, ...more });
}

const effort = (level: string): Record<string, unknown> => ({ reasoning_effort: level });

describe("a model that wants a budget", () => {
  test.each([
    ["minimal", 1_024],
    ["low", 2_000],
    ["medium", 5_000],
    ["high", 8_000],
    ["xhigh", 9_000],
    ["max", 9_500],
  ])("gets a share of its answer for the effort %s", (level, budget) => {
    expect(told(effort(level))).toEqual({ thinking: { type: "enabled", budget_tokens: budget } });
  });

  test("gets no more than helps, and none where no room for words would be left", () => {
    expect(told(effort("high"), { maxTokens: 128_000 })).toEqual({ thinking: { type: "enabled", budget_tokens: 32_000 } });
    expect(told(effort("low"), { maxTokens: 2_048 })).toEqual({ thinking: { type: "enabled", budget_tokens: 1_024 } });
    expect(told(effort("max"), { maxTokens: 2_047 })).toEqual({});
  });

  test("does not think where a tool is forced, the answer is begun, or nothing is asked", () => {
    expect(told(effort("high"), { isForced: true })).toEqual({});
    expect(told(effort("high"), { turns: [QUESTION, { role: "assistant", content: [{ type: "text", text: "So" }] }] })).toEqual({});
    expect(told({})).toEqual({});
    expect(told(effort("none"))).toEqual({});
  });

  test("does not think on where the client lost the thinking that led to its calls", () => {
    const lost: Turn[] = [QUESTION, { role: "assistant", content: [USE] }, RESULT];
    const kept: Turn[] = [QUESTION, { role: "assistant", content: [THOUGHT, USE] }, RESULT];
    const on = { thinking: { type: "enabled", budget_tokens: 8_000 } };
    expect(told(effort("high"), { turns: lost })).toEqual({});
    expect(told(effort("high"), { turns: kept })).toEqual(on);
    // A loop thinks once, when it begins: the calls after that have nothing to lose.
    expect(told(effort("high"), { turns: [...kept, { role: "assistant", content: [USE] }, RESULT] })).toEqual(on);
    expect(told(effort("high"), { turns: [...lost, { role: "assistant", content: [THOUGHT, USE] }, RESULT] })).toEqual({});
    // What is over needs none.
    expect(told(effort("high"), { turns: [...lost, { role: "assistant", content: [{ type: "text", text: "Rain." }] }, QUESTION] })).toEqual(
      on,
    );
  });
});

describe("a model that is told how hard to think", () => {
  const adaptive = { type: "adaptive", display: "summarized" };
  const newer = { upstreamModel: "claude-opus-4-6" };

  test.each([
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "high"],
    ["max", "max"],
  ])("hears %s as %s", (level, heard) => {
    expect(told(effort(level), newer)).toEqual({ effort: heard, thinking: adaptive });
  });

  test("hears every level that it has", () => {
    expect(told(effort("xhigh"), { upstreamModel: "claude-opus-4-7" })).toEqual({ effort: "xhigh", thinking: adaptive });
  });

  test("is not asked to think where a tool is forced", () => {
    expect(told(effort("high"), { ...newer, isForced: true })).toEqual({ effort: "high" });
  });

  test("goes on thinking in a loop whose thinking was lost: it does not mind", () => {
    const turns: Turn[] = [QUESTION, { role: "assistant", content: [USE] }, RESULT];
    expect(told(effort("low"), { ...newer, turns })).toEqual({ effort: "low", thinking: adaptive });
  });

  test.each([
    ["claude-opus-4-8", {}],
    ["claude-opus-5", { thinking: { type: "disabled" } }],
    ["claude-opus-5-5", { effort: "low" }],
  ])("%s thinks as little as it can with the effort none", (upstreamModel, expected) => {
    expect(told(effort("none"), { upstreamModel })).toEqual(expected);
  });
});

test("the caller's own words win, but for a budget that the API would refuse in the middle of a loop", () => {
  const own = { type: "enabled", budget_tokens: 5_000 };
  const lost: Turn[] = [QUESTION, { role: "assistant", content: [USE] }, RESULT];
  expect(told({ thinking: own, reasoning_effort: "low" }, { isForced: true })).toEqual({ thinking: own });
  expect(told({ thinking: own }, { turns: lost })).toEqual({});
  expect(told({ thinking: { type: "adaptive" } }, { turns: lost })).toEqual({ thinking: { type: "adaptive" } });
});

test("an effort that is none is refused", () => {
  for (const wrong of ["enormous", "toString", 5, {}]) {
    expect(() => told({ reasoning_effort: wrong })).toThrow(expect.objectContaining({ code: "invalid_value", param: "reasoning_effort" }));
  }
});

test("thinking is on unless it is disabled or not there", () => {
  expect([{ type: "enabled" }, { type: "adaptive" }, { type: "disabled" }, undefined].map((thinking) => isOn({ thinking }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
