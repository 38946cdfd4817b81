import { describe, expect, test } from "bun:test";
import {
  delta,
  eventsOf,
  messageStop,
  metadata,
  reasoning,
  redacted,
  start,
  START,
  stop,
  text,
  toolUse,
  type Event,
} from "../../../test/dialects/converse-answers.ts";
import { callOf, CLAUDE } from "../../../test/dialects/converse-call.ts";
import { usageToWire } from "../../money/usage.ts";
import type { Deviation } from "../../models/deviation.ts";
import { BedrockEvents } from "./bedrock-events.ts";
import { COUNTED } from "../../../test/dialects/answer-parts.ts";

type Json = Record<string, unknown>;

interface Read {
  readonly events: BedrockEvents;
  /** The delta of each chunk, without the fields that all chunks share. */
  readonly deltas: Json[];
  readonly finishReasons: unknown[];
  readonly hasEnded: boolean;
  readonly reported: Deviation[];
}

function read(list: readonly (Event | string)[], upstreamModel = CLAUDE): Read {
  const reported: Deviation[] = [];
  const events = new BedrockEvents(callOf({ stream: true }, { reported, upstreamModel }));
  const chunks: string[] = [];
  const ends = list.map((event) => events.take(typeof event === "string" ? event : JSON.stringify({ [event[0]]: event[1] }), chunks));
  const choices = chunks.map((chunk) => (JSON.parse(chunk) as { choices: { delta: Json; finish_reason: unknown }[] }).choices[0]!);
  return {
    events,
    deltas: choices.map((choice) => choice.delta),
    finishReasons: choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null),
    hasEnded: ends.at(-1) ?? false,
    reported,
  };
}

const opened = (index: number, id: string, name: string, more: Json = {}): Json => ({
  tool_calls: [{ index, id, type: "function", function: { name, arguments: "" }, ...more }],
});
const args = (index: number, piece: string): Json => ({ tool_calls: [{ index, function: { arguments: piece } }] });

test("streams text, the role in the first chunk, the finish reason, and ends with the counts behind it", () => {
  const { deltas, finishReasons, hasEnded, events, reported } = read(eventsOf([text("Hello world")]));
  expect(deltas).toEqual([{ role: "assistant", content: "Hello " }, { content: "world" }, {}]);
  expect([finishReasons, hasEnded, reported]).toEqual([["stop"], true, []]);
  expect(usageToWire(events.usage!)).toEqual(COUNTED);
  expect(events.uncountedBytes).toBe(0);
});

test("streams parallel tool calls by their index, and {} for a call without arguments", () => {
  const { deltas, finishReasons, reported } = read(eventsOf([toolUse("a", "weather", { city: "Oslo" }), toolUse("b", "now")], "tool_use"));
  expect(deltas).toEqual([
    { role: "assistant", ...opened(0, "a", "weather") },
    args(0, '{"city":'),
    args(0, '"Oslo"}'),
    opened(1, "b", "now"),
    args(1, "{}"),
    {},
  ]);
  expect([finishReasons, reported]).toEqual([["tool_calls"], []]);
});

test("signed and encrypted reasoning go to the tool call behind them; the text is shown", () => {
  const { deltas } = read(eventsOf([reasoning("Hm.", "c2ln"), redacted("ZGF0YQ=="), toolUse("a", "now")], "tool_use"));
  const signed = [{ reasoningText: { text: "Hm.", signature: "c2ln" } }, { redactedContent: "ZGF0YQ==" }];
  expect(deltas.slice(0, 3)).toEqual([
    { role: "assistant", reasoning_content: "Hm" },
    { reasoning_content: "." },
    opened(0, "a", "now", { extra_content: { bedrock: { reasoning: signed } } }),
  ]);
});

test("encrypted reasoning in several pieces is put together by its bytes", () => {
  const pieces = ["Z", "GF0YQ"].map((letters) => Buffer.from(letters).toString("base64"));
  const events = pieces.map((redactedContent) => delta(0, { reasoningContent: { redactedContent } }));
  const { deltas } = read([START, ...events, stop(0), start(1, "a", "now")]);
  expect(JSON.stringify(deltas)).toContain(`"redactedContent":"${Buffer.from("ZGF0YQ").toString("base64")}"`);
});

test("reasoning without a signature is shown, and not sent back", () => {
  const { deltas } = read([START, delta(0, { reasoningContent: { text: "Hm." } }), stop(0), start(1, "a", "now")]);
  expect(deltas).toEqual([{ role: "assistant", reasoning_content: "Hm." }, opened(0, "a", "now")]);
});

test.each([
  ["end_turn", "stop", []],
  ["stop_sequence", "stop", []],
  ["max_tokens", "length", []],
  ["model_context_window_exceeded", "length", []],
  ["content_filtered", "content_filter", []],
  ["guardrail_intervened", "content_filter", []],
  ["tool_use", "stop", ["finish_reason_wrong"]],
  ["new_reason", "stop", ["finish_reason_unknown"]],
])("the stop reason %s is %s", (stopReason, finishReason, deviations) => {
  const { finishReasons, reported } = read(eventsOf([text("Hi")], stopReason));
  expect([finishReasons, reported]).toEqual([[finishReason], deviations]);
});

test.each(["malformed_model_output", "malformed_tool_use"])("the stop reason %s is a failure", (stopReason) => {
  expect(() => read(eventsOf([text("Hi")], stopReason))).toThrow("failed to answer");
});

const counts = (usage: unknown, upstreamModel?: string): [unknown, Deviation[]] => {
  const { events, reported } = read([START, delta(0, { text: "Hi" }), messageStop("end_turn"), metadata(usage)], upstreamModel);
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens } = events.usage ?? {};
  return [[promptTokens, cachedTokens, cacheWriteTokens, completionTokens], reported];
};

describe("token counts", () => {
  const cached = { inputTokens: 4995, outputTokens: 19, totalTokens: 10_007, cacheReadInputTokens: 0, cacheWriteInputTokens: 4993 };

  test("inputTokens excludes the cached tokens", () => {
    expect(counts(cached, CLAUDE)).toEqual([[9988, 0, 4993, 19], []]);
    expect(counts({ ...cached, inputTokens: 2 }, "openai.gpt-5.6")).toEqual([[4995, 0, 4993, 19], []]);
  });

  test("OpenAI's models may include them in a stream: nobody is charged twice, and it is a deviation", () => {
    for (const name of ["openai.gpt-5.6", "us.openai.gpt-5.6", "arn:aws:bedrock:us-east-1::foundation-model/openai.gpt-5.6"]) {
      expect(counts(cached, name)).toEqual([[4995, 0, 4993, 19], ["usage_malformed"]]);
    }
  });

  test.each([{}, { inputTokens: -1, outputTokens: 1 }, { inputTokens: 1.5, outputTokens: 1 }, { inputTokens: 1 }, "x", null])(
    "%j are none",
    (usage) => {
      expect(counts(usage)).toEqual([[undefined, undefined, undefined, undefined], ["usage_malformed"]]);
    },
  );

  test("a stream without them is complete, and its bytes are counted", () => {
    const { events, hasEnded, reported } = read([START, delta(0, { text: "Hello" }), messageStop("end_turn")]);
    events.requireFinished();
    expect([hasEnded, events.usage, events.uncountedBytes, reported]).toEqual([false, undefined, 5, ["usage_missing"]]);
  });
});

test("a stream without a stop reason was cut, even with counts", () => {
  expect(() => read([START, delta(0, { text: "Hi" }), metadata()]).events.requireFinished()).toThrow("broke off");
});

describe("what is not in order is reported", () => {
  test.each<[string, (Event | string)[], Deviation[]]>([
    ["an unknown event", ['{"ping":{}}'], ["event_unexpected"]],
    ["a delta of a block that nothing opened", [delta(0, { toolUse: { input: "{" } })], ["event_unexpected"]],
    ["an image", [delta(0, { image: {} })], ["event_unexpected"]],
    ["the start of an image", [["contentBlockStart", { contentBlockIndex: 0, start: { image: { format: "png" } } }]], ["event_unexpected"]],
    ["no delta", [["contentBlockDelta", { contentBlockIndex: 0 }]], ["event_unexpected"]],
    ["text after the end", [messageStop("end_turn"), delta(0, { text: "Hi" })], ["text_after_finish"]],
    ["a second stop", [messageStop("end_turn"), messageStop("end_turn")], ["finish_reason_repeated"]],
    ["a call without an id", [["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { name: "x" } } }]], ["tool_id_missing"]],
    ["arguments that are not JSON", [start(0, "a", "x"), delta(0, { toolUse: { input: "{" } }), stop(0)], ["arguments_unparsable"]],
  ])("%s", (_name, events, deviations) => {
    expect(read(events).reported).toEqual(deviations);
  });

  test.each(["null", "{}", "[]", '{"x":null}', '{"x":5}', "x"])("%s is not understood", (event) => {
    expect(() => read([event])).toThrow("could not be understood");
  });
});

test("rejects reasoning without an end", () => {
  const piece = delta(0, { reasoningContent: { text: "x".repeat(1_000_000) } });
  expect(() => read(Array.from({ length: 10 }, () => piece))).toThrow("could not be understood");
});

test("rejects too many open blocks", () => {
  expect(() => read(Array.from({ length: 1_001 }, (_, at) => start(at, `t${at}`, "x")))).toThrow("could not be understood");
});
