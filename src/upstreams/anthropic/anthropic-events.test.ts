import { describe, expect, test } from "bun:test";
import { callOf } from "../../../test/dialects/messages-call.ts";
import {
  ABOUT_THE_ACCOUNT,
  blockDelta,
  blockStart,
  blockStop,
  COUNTS,
  errorEvent,
  eventsOf,
  message,
  messageDelta,
  PING,
  redacted,
  START,
  STOP,
  text,
  thinking,
  toolUse,
} from "../../../test/dialects/messages-answers.ts";
import type { Deviation } from "../../models/deviation.ts";
import { AnthropicEvents } from "./anthropic-events.ts";
import { COUNTED } from "../../../test/dialects/answer-parts.ts";

type Json = Record<string, unknown>;

interface Read {
  readonly events: AnthropicEvents;
  /** The delta of each chunk, without the fields that all chunks share. */
  readonly deltas: Json[];
  readonly finishReasons: unknown[];
  readonly hasEnded: boolean;
  readonly reported: Deviation[];
}

function read(...list: unknown[]): Read {
  const reported: Deviation[] = [];
  const events = new AnthropicEvents(callOf({ stream: true }, { reported }));
  const chunks: string[] = [];
  const ends = list.map((event) => events.take(typeof event === "string" ? event : JSON.stringify(event), chunks));
  const choices = chunks.map((chunk) => (JSON.parse(chunk) as { choices: { delta: Json; finish_reason: unknown }[] }).choices[0]!);
  return {
    events,
    deltas: choices.map(({ delta }) => delta),
    finishReasons: choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null),
    hasEnded: ends.at(-1) ?? false,
    reported,
  };
}

const opened = (index: number, id: string, name: string, more: Json = {}): Json => ({
  tool_calls: [{ index, id, type: "function", function: { name, arguments: "" }, ...more }],
});
const args = (index: number, piece: string): Json => ({ tool_calls: [{ index, function: { arguments: piece } }] });

test("streams text deltas, the role in the first chunk and the finish reason in the last", () => {
  const { deltas, finishReasons, hasEnded, events, reported } = read(...eventsOf([text("Hello world")]));
  expect(deltas).toEqual([{ role: "assistant", content: "Hello " }, { content: "world" }, {}]);
  expect(finishReasons).toEqual(["stop"]);
  expect(hasEnded).toBe(true);
  expect(() => events.requireFinished()).not.toThrow();
  expect(JSON.parse(events.endEvents(events.usage!, {})[0]!)).toMatchObject({ id: "msg_1", model: "public", choices: [], usage: COUNTED });
  expect(events.uncountedBytes).toBe(0);
  expect(reported).toEqual([]);
});

test("streams parallel tool calls in order, with {} for a call without arguments", () => {
  const { deltas, finishReasons, reported } = read(
    ...eventsOf([text("I look."), toolUse("a", "weather", { city: "Oslo" }), toolUse("b", "now")], "tool_use"),
  );
  expect(deltas.slice(2)).toEqual([
    opened(0, "a", "weather"),
    args(0, '{"city":'),
    args(0, '"Oslo"}'),
    opened(1, "b", "now"),
    args(1, "{}"),
    {},
  ]);
  expect(finishReasons).toEqual(["tool_calls"]);
  expect(reported).toEqual([]);
});

test("separates tool calls whose deltas are interleaved", () => {
  const { deltas } = read(
    START,
    blockStart(0, toolUse("a", "x")),
    blockStart(1, toolUse("b", "y")),
    blockDelta(1, { type: "input_json_delta", partial_json: '{"b":1}' }),
    blockDelta(0, { type: "input_json_delta", partial_json: '{"a":1}' }),
    blockStop(0),
    blockStop(1),
  );
  expect(deltas.slice(2)).toEqual([args(1, '{"b":1}'), args(0, '{"a":1}')]);
});

test("sends arguments that are complete in content_block_start", () => {
  expect(read(START, blockStart(0, toolUse("a", "x", { b: 1 })), blockStop(0)).deltas[1]).toEqual(args(0, '{"b":1}'));
});

test("streams thinking as reasoning_content, and attaches it to the next tool call", () => {
  const content = [thinking("Look outside."), redacted(), text("I look."), toolUse("a", "x"), toolUse("b", "y")];
  const { deltas } = read(...eventsOf(content, "tool_use"));
  expect(deltas[0]).toEqual({ role: "assistant", reasoning_content: "Look ou" });
  expect(deltas.slice(4)).toEqual([
    opened(0, "a", "x", { extra_content: { anthropic: { thinking: [thinking("Look outside."), redacted()] } } }),
    args(0, "{}"),
    opened(1, "b", "y"),
    args(1, "{}"),
    {},
  ]);
});

test("attaches redacted thinking to the next tool call", () => {
  const { deltas } = read(...eventsOf([thinking(""), toolUse("a", "x")], "tool_use"));
  expect(deltas[0]).toMatchObject({ role: "assistant", tool_calls: [{ extra_content: { anthropic: { thinking: [thinking("")] } } }] });
});

test("sends nothing before the first content", () => {
  expect(read(START, PING, blockStart(0, text("")), blockDelta(0, { type: "text_delta", text: "" })).deltas).toEqual([]);
});

test("sends content that is already in message_start", () => {
  const start = { ...START, message: message([text("Hello"), toolUse("a", "x")]) };
  expect(read(start).deltas).toEqual([{ role: "assistant", content: "Hello" }, opened(0, "a", "x"), args(0, "{}")]);
  expect(read(START, blockStart(0, text("Hello"))).deltas).toEqual([{ role: "assistant", content: "Hello" }]);
});

test("sends deltas without a content_block_start", () => {
  const { deltas } = read(
    START,
    blockDelta(0, { type: "thinking_delta", thinking: "Hm." }),
    blockDelta(1, { type: "text_delta", text: "Hello" }),
    blockDelta(1, { type: "text_delta", text: " world" }),
  );
  expect(deltas).toEqual([{ role: "assistant", reasoning_content: "Hm." }, { content: "Hello" }, { content: " world" }]);
});

test("ignores server-side tools, citations and unknown events", () => {
  const { deltas, reported } = read(
    START,
    blockStart(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
    blockDelta(0, { type: "input_json_delta", partial_json: '{"query":1}' }),
    blockStop(0),
    blockStart(1, text("")),
    blockDelta(1, { type: "citations_delta", citation: {} }),
    blockDelta(1, { type: "text_delta", text: "Rain." }),
    { type: "vibe_delta" },
    blockDelta(9, { type: "input_json_delta", partial_json: "{" }),
    "",
  );
  expect(deltas).toEqual([{ role: "assistant", content: "Rain." }]);
  expect(reported).toEqual(["event_unexpected", "event_unexpected", "event_unexpected"]);
});

test("passes on arguments that are not JSON, and reports the deviation", () => {
  const { reported } = read(
    START,
    blockStart(0, toolUse("a", "x")),
    blockDelta(0, { type: "input_json_delta", partial_json: '{"b' }),
    messageDelta("max_tokens"),
  );
  expect(reported).toEqual(["arguments_unparsable"]);
});

describe("the end of a stream", () => {
  test("is the stop reason, with or without message_stop behind it", () => {
    const { events, hasEnded } = read(...eventsOf([text("Hello")]).slice(0, -1));
    expect(hasEnded).toBe(false);
    expect(() => events.requireFinished()).not.toThrow();
  });

  test.each([
    ["before the first event", []],
    ["after the beginning", [START]],
    ["in the middle", [START, blockStart(0, text("Hello"))]],
    ["with message_stop alone", [START, blockStart(0, text("Hello")), blockStop(0), STOP]],
    ["with counts alone", [START, blockStart(0, text("Hello")), messageDelta(null), STOP]],
  ])("%s is an incomplete stream", (_when, list) => {
    expect(() => read(...list).events.requireFinished()).toThrow(
      expect.objectContaining({ code: "upstream_error", fault: { kind: "broken" } }),
    );
  });

  test("comes once, and later content is not sent", () => {
    const late = [
      { ...START, message: message([text("late")]) },
      blockStart(1, text("late")),
      messageDelta("max_tokens", { ...COUNTS, output_tokens: 9 }),
      STOP,
    ];
    const { deltas, finishReasons, reported, events } = read(...eventsOf([text("Hi")]).slice(0, -1), ...late);
    expect(deltas).toEqual([{ role: "assistant", content: "H" }, { content: "i" }, {}]);
    expect(finishReasons).toEqual(["stop"]);
    expect(reported).toEqual(["text_after_finish", "text_after_finish", "finish_reason_repeated"]);
    expect(events.usage?.completionTokens).toBe(9);
  });

  test("can be set by the gateway", () => {
    const { events } = read(START, blockStart(0, text("Hello")));
    expect(events.closingChunks("length").map((chunk) => JSON.parse(chunk) as unknown)).toMatchObject([
      { id: "msg_1", choices: [{ delta: {}, finish_reason: "length" }] },
    ]);
    expect(events.closingChunks("length")).toEqual([]);
  });
});

describe("token counts", () => {
  test("of a cut response are the initial counts, and the bytes received since", () => {
    const { events } = read(START, blockStart(0, text("Hello")), blockStop(0), blockStart(1, toolUse("a", "find")));
    expect(events.usage).toMatchObject({ promptTokens: 15, completionTokens: 1 });
    expect(events.uncountedBytes).toBe(9);
  });

  test("that never arrive leave the bytes of the output", () => {
    const bare = { type: "message_start", message: { id: "msg_2", content: [] } };
    const { events, reported } = read(bare, blockStart(0, text("Hello")), messageDelta("end_turn", { output_tokens: 5 }), STOP);
    expect([events.usage, events.uncountedBytes]).toEqual([undefined, 5]);
    expect(reported).toEqual(["usage_missing"]);
  });
});

describe("errors", () => {
  test.each([
    ["overloaded_error", "overloaded", "failed"],
    ["rate_limit_error", "overloaded", "busy"],
    ["api_error", "upstream_error", "failed"],
    ["timeout_error", "upstream_timeout", "failed"],
    ["authentication_error", "upstream_error", "credential"],
    ["brand_new_error", "upstream_error", "failed"],
  ])("%s becomes %s", (type, code, kind) => {
    expect(() => read(START, errorEvent(type))).toThrow(expect.objectContaining({ code, fault: expect.objectContaining({ kind }) }));
  });

  test.each(ABOUT_THE_ACCOUNT)("about the provider account are not the caller's: %s", (words) => {
    expect(() => read(START, errorEvent("invalid_request_error", words))).toThrow(
      expect.objectContaining({ code: "upstream_error", message: "The upstream failed to answer.", fault: { kind: "credential" } }),
    );
  });

  test("about the caller's request stay 4xx", () => {
    expect(() => read(errorEvent("invalid_request_error", "prompt is too long: 5 tokens > 4 maximum"))).toThrow(
      expect.objectContaining({ code: "context_length_exceeded", fault: undefined }),
    );
  });

  test.each(["{", "7", "null", '{"type":"message_start"}'])("an event like %s is rejected", (event) => {
    expect(() => read(event)).toThrow(expect.objectContaining({ code: "upstream_error", fault: { kind: "broken" } }));
  });
});

describe("memory bounds", () => {
  test("limit the number of open blocks", () => {
    const blocks = Array.from({ length: 1_001 }, (_, at) => blockStart(at, text("")));
    expect(() => read(START, ...blocks)).toThrow(expect.objectContaining({ code: "upstream_error" }));
  });

  test("limit the buffered thinking", () => {
    const piece = blockDelta(0, { type: "thinking_delta", thinking: "x".repeat(1024 * 1024) });
    expect(() => read(START, blockStart(0, thinking("")), ...Array.from({ length: 9 }, () => piece))).toThrow(
      expect.objectContaining({ code: "upstream_error" }),
    );
  });
});
