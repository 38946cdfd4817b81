import { describe, expect, test } from "bun:test";
import { expectGoodStream, textOf, type Chunk } from "../../../test/support/upstreams/conformance.ts";
import { answerOf, errorOf, RETRY_INFO, USAGE } from "../../../test/dialects/gemini-answers.ts";
import { geminiCall } from "../../../test/dialects/gemini-call.ts";
import { readStream, type StreamResult } from "../../../test/dialects/gemini-stream.ts";
import { ApiError } from "../../requests/api-error.ts";
import { GeminiEvents } from "./gemini-events.ts";

/** A valid stream: its chunks, and the deltas of its choice. */
function read(...events: unknown[]): StreamResult & { chunks: Chunk[]; deltas: Record<string, unknown>[]; finishReason: unknown } {
  const streamed = readStream(events);
  const chunks = expectGoodStream(streamed.text, "public-name", { usage: true });
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return { ...streamed, chunks, deltas: choices.map(({ delta }) => delta), finishReason: choices.at(-1)?.finish_reason };
}

function failureOf(...events: unknown[]): ApiError {
  try {
    readStream(events);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("it was taken for an answer");
}

const text = (value: string, more: object = {}): object => ({ text: value, ...more });

/** Interim counts. */
function counts(candidates: number): object {
  return { usageMetadata: { promptTokenCount: 20, candidatesTokenCount: candidates } };
}

test("streams text and reasoning, and uses the last token counts", () => {
  const { chunks, deltas, deviations, uncountedBytes, finishReason } = read(
    answerOf([text("Hm.", { thought: true })], undefined, counts(1)),
    answerOf([text("Hel")], undefined, counts(2)),
    answerOf([text("lo")]),
    answerOf([text("", { thoughtSignature: "c2ln" })], "STOP"),
  );
  expect(deltas).toEqual([
    { role: "assistant", reasoning_content: "Hm." },
    { content: "Hel" },
    { content: "lo" },
    { extra_content: { google: { thought_signature: "c2ln" } } },
    {},
  ]);
  expect(finishReason).toBe("stop");
  expect(chunks.at(-1)).toMatchObject({ id: "answer-1", usage: USAGE });
  expect([deviations, uncountedBytes]).toEqual([[], 0]);
});

test("streams complete tool calls, each with its index, and finish reason tool_calls", () => {
  const { deltas, finishReason } = read(
    answerOf([
      { functionCall: { id: "g1", name: "weather", args: { city: "Oslo" } }, thoughtSignature: "c2ln" },
      { functionCall: { name: "time" } },
    ]),
    answerOf([{ functionCall: { id: "g1", name: "time", args: {} } }]),
    answerOf([text("")], "STOP"),
  );
  const calls = deltas.flatMap((delta) => (delta["tool_calls"] ?? []) as { index: number; id: string }[]);
  expect(calls).toMatchObject([
    {
      index: 0,
      id: "g1",
      function: { name: "weather", arguments: '{"city":"Oslo"}' },
      extra_content: { google: { thought_signature: "c2ln" } },
    },
    { index: 1, function: { name: "time", arguments: "{}" } },
    { index: 2, function: { name: "time", arguments: "{}" } },
  ]);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
  expect(finishReason).toBe("tool_calls");
});

test("accepts a tool call and the finish reason in one event", () => {
  expect(read(answerOf([{ functionCall: { name: "f", args: {} } }], "STOP")).finishReason).toBe("tool_calls");
});

/** An event with a fragment of a tool call. */
function piece(part: object, finishReason?: string): object {
  return answerOf([{ functionCall: part }], finishReason);
}

/** A fragment of the tool call's argument. */
function city(stringValue: string, willContinue?: boolean): object {
  return { partialArgs: [{ jsonPath: "$.city", stringValue, willContinue }], willContinue: true };
}

describe("a tool call in fragments", () => {
  const expected = { name: "weather", arguments: '{"city":"Oslo"}' };

  test("is sent when it is complete, when the next one starts, or at the end", () => {
    const { deltas } = read(
      answerOf([{ functionCall: { name: "weather", willContinue: true }, thoughtSignature: "c2ln" }]),
      piece(city("Os", true)),
      piece(city("lo")),
      piece({}),
      piece({ name: "weather", willContinue: true }),
      piece(city("Oslo")),
      piece({ name: "weather", ...city("Os", true) }),
      piece(city("lo"), "STOP"),
    );
    const calls = deltas.flatMap((delta) => (delta["tool_calls"] ?? []) as object[]);
    expect(calls).toMatchObject([0, 1, 2].map((index) => ({ index, function: expected })));
    expect(calls[0]).toHaveProperty("extra_content.google.thought_signature", "c2ln");
  });

  test("without a name is ignored and reported", () => {
    const { deltas, deviations, finishReason } = read(piece(city("Oslo")), answerOf([text("Hi.")], "STOP"));
    expect(deltas).toEqual([{ role: "assistant", content: "Hi." }, {}]);
    expect([deviations, finishReason]).toEqual([["event_unexpected"], "stop"]);
  });

  test("whose fragments do not fit is reported, and its arguments are still JSON", () => {
    const { deviations } = read(piece({ name: "f", partialArgs: [{ jsonPath: "$", stringValue: "a" }] }, "STOP"));
    expect(deviations).toEqual(["arguments_unparsable"]);
  });
});

describe("the finish reason is sent once, at the end", () => {
  test("where every event has one", () => {
    const { chunks, finishReason } = read(
      answerOf([text("Hel")], "STOP"),
      answerOf([text("lo")], "STOP"),
      answerOf([text("!")], "MAX_TOKENS"),
    );
    expect(textOf(chunks)).toBe("Hello!");
    expect(finishReason).toBe("length");
  });

  test("where token counts follow it", () => {
    const { chunks } = read(answerOf([text("Hello")], "STOP", { usageMetadata: undefined }), { usageMetadata: { promptTokenCount: 9 } });
    expect(chunks.at(-1)!.usage).toMatchObject({ prompt_tokens: 9 });
  });

  test("where the stream has nothing else", () => {
    expect(read(answerOf(undefined, "SAFETY"))).toMatchObject({ deltas: [{ role: "assistant" }], finishReason: "content_filter" });
  });

  test("and is content_filter where the prompt is blocked after output", () => {
    expect(read(answerOf([text("Hel")]), { promptFeedback: { blockReason: "SAFETY" } }).finishReason).toBe("content_filter");
  });
});

describe("a stream is a failure", () => {
  test("where it just stops", () => {
    for (const events of [[], [answerOf([text("Hello")])], [{ usageMetadata: { promptTokenCount: 9 } }]]) {
      expect(failureOf(...events)).toMatchObject({ code: "upstream_error", fault: { kind: "broken" } });
    }
  });

  test("where an event is an error, with its retry delay", () => {
    const error = errorOf(429, "RESOURCE_EXHAUSTED", "slow down", [RETRY_INFO]);
    expect(failureOf(answerOf([text("Hel")]), error)).toMatchObject({ code: "overloaded", fault: { kind: "busy", retryAfterMs: 7200 } });
    expect(failureOf([error])).toMatchObject({ code: "overloaded" });
  });

  test("where the tool call is malformed, and earlier output is charged", () => {
    const translator = new GeminiEvents(geminiCall({ stream: true }));
    const chunks: string[] = [];
    const event = JSON.stringify(answerOf([text("Hello")], "MALFORMED_FUNCTION_CALL"));
    expect(() => translator.take(event, chunks)).toThrow("The upstream failed to answer.");
    expect(chunks).toHaveLength(1);
  });

  test("where the prompt is blocked, with content_policy_violation", () => {
    const counted = { usageMetadata: { promptTokenCount: 9 } };
    expect(failureOf(counted, { promptFeedback: { blockReason: "SAFETY" } }).code).toBe("content_policy_violation");
  });
});

test("estimates text that the counts do not cover", () => {
  expect(read(answerOf([text("Hello")], "STOP", { usageMetadata: { promptTokenCount: 9 } })).uncountedBytes).toBe(5);
  const late = read(answerOf([text("Hello")]), answerOf([text(" world")], "STOP", { usageMetadata: undefined }));
  expect(late.uncountedBytes).toBe(6);
});

test("ignores decreasing counts, and estimates the text after the higher ones", () => {
  const lower = { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } };
  const { usage, uncountedBytes } = read(answerOf([text("Hello")]), answerOf([text(" world")], "STOP", lower));
  expect(usage).toEqual({ promptTokens: 25, completionTokens: 37, cachedTokens: 8, cacheWriteTokens: 0, reasoningTokens: 30 });
  expect(uncountedBytes).toBe(6);
  const higher = { usageMetadata: { promptTokenCount: 26, candidatesTokenCount: 50 } };
  expect(read(answerOf([text("Hello")]), answerOf([], "STOP", higher)).usage).toMatchObject({
    promptTokens: 26,
    cachedTokens: 0,
    completionTokens: 50,
  });
});

test("reports invalid counts, and uses the earlier ones", () => {
  const { usage, deviations } = read(answerOf([text("Hello")]), answerOf([], "STOP", { usageMetadata: { promptTokenCount: 1e12 } }));
  expect([usage?.promptTokens, deviations]).toEqual([25, ["usage_malformed"]]);
});

/** The end of a stream that the gateway stops after one event. */
function closing(finishReason?: string): unknown {
  const translator = new GeminiEvents(geminiCall({ stream: true }));
  translator.take(JSON.stringify(answerOf([text("Hello")], finishReason)), []);
  return translator.closingChunks("length").map((chunk) => (JSON.parse(chunk) as Chunk).choices[0]!.finish_reason);
}

test("sends the gateway's finish reason for a stopped stream, unless it had finished", () => {
  expect([closing(), closing("STOP")]).toEqual([["length"], ["stop"]]);
});
