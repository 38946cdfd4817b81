import { describe, expect, test } from "bun:test";
import { ChatResponse } from "./chat-response.ts";
import { readError } from "./chunk.ts";
import { costOf, estimateCompletion, estimatePrompt, tokensPerSecond } from "../estimate.ts";

/** The test triggers animation frames. */
const frames: (() => void)[] = [];
const responseFrom = (nowMs: number): ChatResponse => new ChatResponse("m", nowMs, (draw) => frames.push(draw));

const chunk = (delta: object, more: object = {}): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }], ...more });

const call = (index: number, id: string | undefined, name: string | undefined, given: string): string =>
  chunk({ tool_calls: [{ index, ...(id && { id }), function: { ...(name && { name }), arguments: given } }] });

describe("a response", () => {
  test("appends chunks and records the time of the first token", () => {
    const response = responseFrom(1000);
    const received: string[] = [];
    response.text.listen((text) => received.push(text));
    response.take(chunk({ role: "assistant", content: "" }), 1100);
    response.take(chunk({ content: "Hé" }), 1200);
    response.take(chunk({ content: "llo" }), 1300);
    response.take(JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }), 1400);
    response.end("done", 1500);
    expect(received).toEqual(["Hé", "llo"]);
    expect(response.progress()).toMatchObject({
      phase: "done",
      firstTokenAtMs: 1200,
      endedAtMs: 1500,
      receivedBytes: 6,
      usage: { promptTokens: 3, completionTokens: 2 },
    });
  });

  test("notifies once per frame, and immediately at the end", () => {
    const response = responseFrom(0);
    frames.length = 0;
    let drawn = 0;
    response.subscribe(() => drawn++);
    for (let at = 0; at < 100; at++) response.take(chunk({ content: "x" }), at);
    expect([frames.length, drawn, response.progress().receivedBytes]).toEqual([1, 0, 0]);
    frames.shift()?.();
    expect([drawn, response.progress().receivedBytes]).toEqual([1, 100]);
    response.end("stopped", 200);
    response.end("done", 300);
    expect([drawn, response.progress().phase]).toEqual([2, "stopped"]);
  });

  test("assembles tool calls from chunks", () => {
    const response = responseFrom(0);
    response.take(call(0, "a", "weather", ""), 1);
    response.take(call(0, undefined, undefined, '{"city":'), 2);
    response.take(call(0, undefined, undefined, '"Oslo"}'), 3);
    response.take(call(1, "b", "time", "{}"), 4);
    response.take(call(1_000_000, "far", "away", "{}"), 5);
    response.end("done", 6);
    expect(response.progress().toolCalls).toEqual([
      { id: "a", name: "weather", arguments: '{"city":"Oslo"}' },
      { id: "b", name: "time", arguments: "{}" },
    ]);
    expect(response.progress().firstTokenAtMs).toBe(1);
  });

  test("survives malformed chunks", () => {
    const response = responseFrom(0);
    expect(response.take("not json", 1)?.code).toBe("unreadable");
    for (const hostile of [
      "null",
      "7",
      "[]",
      '{"choices":{}}',
      '{"choices":[null]}',
      '{"choices":[{"delta":{"content":{},"tool_calls":[7]}}]}',
    ]) {
      expect([hostile, response.take(hostile, 1)]).toEqual([hostile, undefined]);
    }
    expect(response.text.text).toBe("");
  });
});

test("reads errors of the gateway and of the platform API", () => {
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

  test("applies the price and its tiers", () => {
    expect(cost(100, 50)).toBe("0.000200000");
    expect(cost(101, 50)).toBe("0.002010000");
  });

  test("does not count an image by its bytes", () => {
    const url = `data:image/png;base64,${"A".repeat(1_000_000)}`;
    const content = [{ type: "image_url", image_url: { url } }];
    expect(estimatePrompt({ messages: [{ role: "user", content }] })).toBeLessThan(1100);
  });

  test("measures tokens per second from the first token", () => {
    expect(estimateCompletion(401)).toBe(101);
    expect(tokensPerSecond(101, 5000, 7000)).toBe(50);
    expect([tokensPerSecond(1, 5000, 7000), tokensPerSecond(5, null, 7000), tokensPerSecond(5, 5000, 5000)]).toEqual([null, null, null]);
  });
});
