import { describe, expect, test } from "bun:test";
import { isOn } from "../claude/claude-thinking.ts";
import { toThinking, type TurnsContext } from "./anthropic-thinking.ts";
import type { Turn } from "./anthropic-turns.ts";

const QUESTION: Turn = { role: "user", content: [{ type: "text", text: "Hello!" }] };
const USE = { type: "tool_use", id: "a", name: "weather", input: {} };
const THOUGHT = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
const RESULT: Turn = { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] };

function thinkingFor(body: Record<string, unknown>, more: Partial<TurnsContext> = {}): unknown {
  return toThinking(body, { upstreamModel: "claude-sonnet-4-5", maxTokens: 10_000, turns: [QUESTION], isForced: false, ...more });
}

const effort = (level: string): Record<string, unknown> => ({ reasoning_effort: level });

describe("a model with a thinking budget", () => {
  test.each([
    ["minimal", 1_024],
    ["low", 2_000],
    ["medium", 5_000],
    ["high", 8_000],
    ["xhigh", 9_000],
    ["max", 9_500],
  ])("sends a share of max_tokens for the effort %s", (level, budget) => {
    expect(thinkingFor(effort(level))).toEqual({ thinking: { type: "enabled", budget_tokens: budget } });
  });

  test("caps the budget, and sends none where max_tokens leaves no room for text", () => {
    expect(thinkingFor(effort("high"), { maxTokens: 128_000 })).toEqual({ thinking: { type: "enabled", budget_tokens: 32_000 } });
    expect(thinkingFor(effort("low"), { maxTokens: 2_048 })).toEqual({ thinking: { type: "enabled", budget_tokens: 1_024 } });
    expect(thinkingFor(effort("max"), { maxTokens: 2_047 })).toEqual({});
  });

  test("does not think with a forced tool, a prefill, or without an effort", () => {
    expect(thinkingFor(effort("high"), { isForced: true })).toEqual({});
    expect(thinkingFor(effort("high"), { turns: [QUESTION, { role: "assistant", content: [{ type: "text", text: "So" }] }] })).toEqual({});
    expect(thinkingFor({})).toEqual({});
    expect(thinkingFor(effort("none"))).toEqual({});
  });

  test("does not think where the client has not sent back the thinking of its tool calls", () => {
    const lost: Turn[] = [QUESTION, { role: "assistant", content: [USE] }, RESULT];
    const kept: Turn[] = [QUESTION, { role: "assistant", content: [THOUGHT, USE] }, RESULT];
    const on = { thinking: { type: "enabled", budget_tokens: 8_000 } };
    expect(thinkingFor(effort("high"), { turns: lost })).toEqual({});
    expect(thinkingFor(effort("high"), { turns: kept })).toEqual(on);
    // An agent loop thinks once, at its start: later calls have no thinking to send back.
    expect(thinkingFor(effort("high"), { turns: [...kept, { role: "assistant", content: [USE] }, RESULT] })).toEqual(on);
    expect(thinkingFor(effort("high"), { turns: [...lost, { role: "assistant", content: [THOUGHT, USE] }, RESULT] })).toEqual({});
    // Completed turns need no thinking.
    expect(
      thinkingFor(effort("high"), { turns: [...lost, { role: "assistant", content: [{ type: "text", text: "Rain." }] }, QUESTION] }),
    ).toEqual(on);
  });
});

describe("a model with effort levels", () => {
  const adaptive = { type: "adaptive", display: "summarized" };
  const newer = { upstreamModel: "claude-opus-4-6" };

  test.each([
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "high"],
    ["max", "max"],
  ])("maps %s to %s", (level, mapped) => {
    expect(thinkingFor(effort(level), newer)).toEqual({ effort: mapped, thinking: adaptive });
  });

  test("passes every level that the model supports", () => {
    expect(thinkingFor(effort("xhigh"), { upstreamModel: "claude-opus-4-7" })).toEqual({ effort: "xhigh", thinking: adaptive });
  });

  test("does not enable thinking with a forced tool", () => {
    expect(thinkingFor(effort("high"), { ...newer, isForced: true })).toEqual({ effort: "high" });
  });

  test("thinks in an agent loop without the earlier thinking, which the API accepts", () => {
    const turns: Turn[] = [QUESTION, { role: "assistant", content: [USE] }, RESULT];
    expect(thinkingFor(effort("low"), { ...newer, turns })).toEqual({ effort: "low", thinking: adaptive });
  });

  test.each([
    ["claude-opus-4-8", {}],
    ["claude-opus-5", { thinking: { type: "disabled" } }],
    ["claude-opus-5-5", { effort: "low" }],
  ])("%s thinks as little as possible with the effort none", (upstreamModel, expected) => {
    expect(thinkingFor(effort("none"), { upstreamModel })).toEqual(expected);
  });
});

test("the caller's thinking takes precedence, except a budget that the API would reject in an agent loop", () => {
  const own = { type: "enabled", budget_tokens: 5_000 };
  const lost: Turn[] = [QUESTION, { role: "assistant", content: [USE] }, RESULT];
  expect(thinkingFor({ thinking: own, reasoning_effort: "low" }, { isForced: true })).toEqual({ thinking: own });
  expect(thinkingFor({ thinking: own }, { turns: lost })).toEqual({});
  expect(thinkingFor({ thinking: { type: "adaptive" } }, { turns: lost })).toEqual({ thinking: { type: "adaptive" } });
});

test("rejects an unknown effort", () => {
  for (const wrong of ["enormous", "toString", 5, {}]) {
    expect(() => thinkingFor({ reasoning_effort: wrong })).toThrow(
      expect.objectContaining({ code: "invalid_value", param: "reasoning_effort" }),
    );
  }
});

test("thinking is on unless it is disabled or absent", () => {
  expect([{ type: "enabled" }, { type: "adaptive" }, { type: "disabled" }, undefined].map((thinking) => isOn({ thinking }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
