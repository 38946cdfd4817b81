import { describe, expect, test } from "bun:test";
import { Answer } from "./chat-response.ts";
import { readError } from "./chunk.ts";
import { costOf, estimateAnswer, estimatePrompt, tokensPerSecond } from "./estimate.ts";

/** Frames come when the test says so. */
const frames: (() => void)[] = [];
const answerFrom = (nowMs: number): Answer => new Answer("m", nowMs, (draw) => frames.push(draw));

const chunk = (delta: object, more: object = {}): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }], ...more });

const call = (index: number, id: string | undefined, name: string | undefined, given: string): string =>
  chunk({ tool_calls: [{ index, ...(id && { id }), function: { ...(name && { name }), arguments: given } }] });

describe("an answer", () => {
  test("grows piece by piece, and knows when its first token came", () => {
    const answer = answerFrom(1000);
    const pieces: string[] = [];
    answer.text.listen((piece) => pieces.push(piece));
    answer.take(chunk({ role: "assistant", content: "" }), 1100);
    answer.take(chunk({ content: "Hé" }), 1200);
    answer.take(chunk({ content: "llo" }), 1300);
    answer.take(JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }), 1400);
    answer.end("done", 1500);
    expect(pieces).toEqual(["Hé", "llo"]);
    expect(answer.progress()).toMatchObject({
      phase: "done",
      firstTokenAtMs: 1200,
      endedAtMs: 1500,
      saidBytes: 6,
      usage: { promptTokens: 3, completionTokens: 2 },
    });
  });

  test("is drawn once a frame, however many pieces come, and at once when it ends", () => {
    const answer = answerFrom(0);
    frames.length = 0;
    let drawn = 0;
    answer.subscribe(() => drawn++);
    for (let at = 0; at < 100; at++) answer.take(chunk({ content: "x" }), at);
    expect([frames.length, drawn, answer.progress().saidBytes]).toEqual([1, 0, 0]);
    frames.shift()?.();
    expect([drawn, answer.progress().saidBytes]).toEqual([1, 100]);
    answer.end("stopped", 200);
    answer.end("done", 300);
    expect([drawn, answer.progress().phase]).toEqual([2, "stopped"]);
  });

  test("puts the pieces of tool calls together", () => {
    const answer = answerFrom(0);
    answer.take(call(0, "a", "weather", ""), 1);
    answer.take(call(0, undefined, undefined, '{"city":'), 2);
    answer.take(call(0, undefined, undefined, '"Oslo"}'), 3);
    answer.take(call(1, "b", "time", "{}"), 4);
    answer.take(call(1_000_000, "far", "away", "{}"), 5);
    answer.end("done", 6);
    expect(answer.progress().toolCalls).toEqual([
      { id: "a", name: "weather", arguments: '{"city":"Oslo"}' },
      { id: "b", name: "time", arguments: "{}" },
    ]);
    expect(answer.progress().firstTokenAtMs).toBe(1);
  });

  test("takes whatever comes without falling over", () => {
    const answer = answerFrom(0);
    expect(answer.take("not json", 1)?.code).toBe("unreadable");
    for (const hostile of [
      "null",
      "7",
      "[]",
      '{"choices":{}}',
      '{"choices":[null]}',
      '{"choices":[{"delta":{"content":{},"tool_calls":[7]}}]}',
    ]) {
      expect([hostile, answer.take(hostile, 1)]).toEqual([hostile, undefined]);
    }
    expect(answer.text.text).toBe("");
  });
});

test("an error is read from the gateway and from the platform", () => {
  const error = { message: "No credit.", type: "insufficient_quota", param: null, code: "insufficient_credits" };
  expect(readError({ error })).toEqual({ message: "No credit.", code: "insufficient_credits", param: null });
  expect(readError({ detail: "Sign in.", code: "not_signed_in", param: null })).toMatchObject({
    message: "Sign in.",
    code: "not_signed_in",
  });
  expect(readError({ error: null, choices: [] })).toBeUndefined();
});

describe("an estimate", () => {
  const price = {
    input_per_million: 1,
    output_per_million: 2,
    tiers: [{ above_input_tokens: 100, input_per_million: 10, output_per_million: 20 }],
  };
  const cost = (promptTokens: number, completionTokens: number): string =>
    costOf(price as unknown as Parameters<typeof costOf>[0], { promptTokens, completionTokens });

  test("costs what the price says, also where many tokens have another", () => {
    expect(cost(100, 50)).toBe("0.000200000");
    expect(cost(101, 50)).toBe("0.002010000");
  });

  test("does not count a picture by its bytes", () => {
    const url = `data:image/png;base64,${"A".repeat(1_000_000)}`;
    const content = [{ type: "image_url", image_url: { url } }];
    expect(estimatePrompt({ messages: [{ role: "user", content }] })).toBeLessThan(1100);
  });

  test("of the speed leaves out how long the first token took", () => {
    expect(estimateAnswer(401)).toBe(101);
    expect(tokensPerSecond(101, 5000, 7000)).toBe(50);
    expect([tokensPerSecond(1, 5000, 7000), tokensPerSecond(5, null, 7000), tokensPerSecond(5, 5000, 5000)]).toEqual([null, null, null]);
  });
});
