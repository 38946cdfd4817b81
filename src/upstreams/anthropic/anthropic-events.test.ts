import { describe, expect, test } from "bun:test";
import { callOf } from "../../../test/dialects/messages-call.ts";
import {
  ABOUT_THE_ACCOUNT,
  blockDelta,
  blockStart,
  blockStop,
  COUNTED,
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

type Json = Record<string, unknown>;

interface Read {
  readonly events: AnthropicEvents;
  /** What was said in each chunk, without what all chunks have in common. */
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

test("a text arrives in its pieces, the role in the first, and ends with its reason", () => {
  const { deltas, finishReasons, hasEnded, events, reported } = read(...eventsOf([text("Hello world")]));
  expect(deltas).toEqual([{ role: "assistant", content: "Hello " }, { content: "world" }, {}]);
  expect(finishReasons).toEqual(["stop"]);
  expect(hasEnded).toBe(true);
  expect(() => events.requireFinished()).not.toThrow();
  expect(JSON.parse(events.usageChunk(events.usage!, {}))).toMatchObject({ id: "msg_1", model: "public", choices: [], usage: COUNTED });
  expect(events.uncountedBytes).toBe(0);
  expect(reported).toEqual([]);
});

test("parallel calls arrive one after the other, and one without arguments as an empty object", () => {
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

test("calls whose pieces come mixed are kept apart", () => {
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

test("arguments that are there at once are sent at once", () => {
  expect(read(START, blockStart(0, toolUse("a", "x", { b: 1 })), blockStop(0)).deltas[1]).toEqual(args(0, '{"b":1}'));
});

test("thinking arrives as reasoning, and is kept with the first call that follows it", () => {
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

test("thinking that is not shown is kept all the same", () => {
  const { deltas } = read(...eventsOf([thinking(""), toolUse("a", "x")], "tool_use"));
  expect(deltas[0]).toMatchObject({ role: "assistant", tool_calls: [{ extra_content: { anthropic: { thinking: [thinking("")] } } }] });
});

test("nothing is sent before the first words", () => {
  expect(read(START, PING, blockStart(0, text("")), blockDelta(0, { type: "text_delta", text: "" })).deltas).toEqual([]);
});

test("words that are there from the start are not lost", () => {
  const start = { ...START, message: message([text("Hello"), toolUse("a", "x")]) };
  expect(read(start).deltas).toEqual([{ role: "assistant", content: "Hello" }, opened(0, "a", "x"), args(0, "{}")]);
  expect(read(START, blockStart(0, text("Hello"))).deltas).toEqual([{ role: "assistant", content: "Hello" }]);
});

test("words without a block to be in are not lost", () => {
  const { deltas } = read(
    START,
    blockDelta(0, { type: "thinking_delta", thinking: "Hm." }),
    blockDelta(1, { type: "text_delta", text: "Hello" }),
    blockDelta(1, { type: "text_delta", text: " world" }),
  );
  expect(deltas).toEqual([{ role: "assistant", reasoning_content: "Hm." }, { content: "Hello" }, { content: " world" }]);
});

test("the work of the provider's own tools, citations and events that are new are passed over", () => {
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

test("arguments that are no JSON are passed on, and counted", () => {
  const { reported } = read(
    START,
    blockStart(0, toolUse("a", "x")),
    blockDelta(0, { type: "input_json_delta", partial_json: '{"b' }),
    messageDelta("max_tokens"),
  );
  expect(reported).toEqual(["arguments_unparsable"]);
});

describe("the end", () => {
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
  ])("%s is a break", (_when, list) => {
    expect(() => read(...list).events.requireFinished()).toThrow(
      expect.objectContaining({ code: "upstream_error", fault: { kind: "broken" } }),
    );
  });

  test("comes once, and what follows it is not sent", () => {
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

  test("can be set by us", () => {
    const { events } = read(START, blockStart(0, text("Hello")));
    expect(events.closingChunks("length").map((chunk) => JSON.parse(chunk) as unknown)).toMatchObject([
      { id: "msg_1", choices: [{ delta: {}, finish_reason: "length" }] },
    ]);
    expect(events.closingChunks("length")).toEqual([]);
  });
});

describe("counts", () => {
  test("of an answer that was cut are those of its beginning, and its bytes since", () => {
    const { events } = read(START, blockStart(0, text("Hello")), blockStop(0), blockStart(1, toolUse("a", "find")));
    expect(events.usage).toMatchObject({ promptTokens: 15, completionTokens: 1 });
    expect(events.uncountedBytes).toBe(9);
  });

  test("that never come leave the bytes", () => {
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

  test.each(ABOUT_THE_ACCOUNT)("about our account are ours to mend: %s", (words) => {
    expect(() => read(START, errorEvent("invalid_request_error", words))).toThrow(
      expect.objectContaining({ code: "upstream_error", message: "The upstream failed to answer.", fault: { kind: "credential" } }),
    );
  });

  test("that are the caller's stay the caller's", () => {
    expect(() => read(errorEvent("invalid_request_error", "prompt is too long: 5 tokens > 4 maximum"))).toThrow(
      expect.objectContaining({ code: "context_length_exceeded", fault: undefined }),
    );
  });

  test.each(["{", "7", "null", '{"type":"message_start"}'])("an event like %s is not understood", (event) => {
    expect(() => read(event)).toThrow(expect.objectContaining({ code: "upstream_error", fault: { kind: "broken" } }));
  });
});

describe("an upstream without bounds", () => {
  test("cannot open blocks for ever", () => {
    const blocks = Array.from({ length: 1_001 }, (_, at) => blockStart(at, text("")));
    expect(() => read(START, ...blocks)).toThrow(expect.objectContaining({ code: "upstream_error" }));
  });

  test("cannot think for ever", () => {
    const piece = blockDelta(0, { type: "thinking_delta", thinking: "x".repeat(1024 * 1024) });
    expect(() => read(START, blockStart(0, thinking("")), ...Array.from({ length: 9 }, () => piece))).toThrow(
      expect.objectContaining({ code: "upstream_error" }),
    );
  });
});
