import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { readStream, responsesCall } from "../../../test/dialects/responses-call.ts";
import { expectGoodCompletion, expectGoodStream, textOf } from "../../../test/support/upstreams/conformance.ts";
import { runs } from "../../../test/support/long.ts";
import { ApiError } from "../../requests/api-error.ts";
import { responsesDialect } from "./openai-dialect.ts";

type Json = Record<string, unknown>;

const USAGE = {
  input_tokens: 15,
  input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 22,
};
const COUNTS = { promptTokens: 15, cachedTokens: 3, cacheWriteTokens: 2, completionTokens: 7, reasoningTokens: 4 };

const said = (...texts: readonly string[]): Json => ({
  type: "message",
  role: "assistant",
  content: texts.map((text) => ({ type: "output_text", text, annotations: [] })),
});
const refused = (refusal: string): Json => ({ type: "message", role: "assistant", content: [{ type: "refusal", refusal }] });
const called = (id: string, args: string): Json => ({ type: "function_call", call_id: id, name: "weather", arguments: args });
const thought = (summary: readonly string[], encrypted?: string): Json => ({
  type: "reasoning",
  summary: summary.map((text) => ({ type: "summary_text", text })),
  ...(encrypted !== undefined && { encrypted_content: encrypted }),
});

function responseOf(output: readonly Json[], more: Json = {}): Json {
  return { id: "resp_1", object: "response", status: "completed", error: null, model: "m", output, usage: USAGE, ...more };
}

function failureOf(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

/** The JSON response as a completion. */
function completionOf(response: Json): { message: Json; finishReason: unknown; usage: unknown; deviations: readonly string[] } {
  const call = responsesCall({});
  const { body, usage } = responsesDialect.readCompletion(JSON.stringify(response), call);
  const [{ message, finish_reason: finishReason }] = expectGoodCompletion(body, "public-name")["choices"] as [Json & { message: Json }];
  return { message, finishReason, usage, deviations: call.deviations };
}

/** The events of a response, with its texts and arguments in pieces of this length. */
function eventsOf(response: Json, pieceChars = 3): Json[] {
  const { output, ...head } = response as Json & { output: Json[] };
  const started = { ...head, status: "in_progress", usage: null, output: [] };
  const pieces = (text: string): string[] =>
    Array.from({ length: Math.ceil(text.length / pieceChars) }, (_, at) => text.slice(at * pieceChars, (at + 1) * pieceChars));
  const deltas = (item: Json): Json[] => {
    const parts = (list: unknown): Json[] => (list ?? []) as Json[];
    if (item["type"] === "function_call")
      return pieces(String(item["arguments"])).map((delta) => ({ type: "response.function_call_arguments.delta", delta }));
    const inContent = parts(item["content"]).flatMap(({ type, text, refusal }, at) =>
      pieces(String(text ?? refusal)).map((delta) => ({ type: `response.${String(type)}.delta`, content_index: at, delta })),
    );
    const inSummary = parts(item["summary"]).flatMap(({ text }, at) =>
      pieces(String(text)).map((delta) => ({ type: "response.reasoning_summary_text.delta", summary_index: at, delta })),
    );
    return [...inSummary, ...inContent];
  };
  return [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...output.flatMap((item, at) => [
      { type: "response.output_item.added", output_index: at, item: { ...item, content: [], summary: [], arguments: "" } },
      ...deltas(item).map((delta) => ({ ...delta, output_index: at })),
      { type: "response.output_item.done", output_index: at, item },
    ]),
    { type: `response.${String(response["status"])}`, response },
  ];
}

/** The content of a stream, in the form of a message. */
function streamedMessage(events: readonly Json[], cuts: readonly number[] = []): { message: Json; finishReason: unknown } {
  const chunks = expectGoodStream(readStream(events, cuts).text, "public-name", { usage: true });
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const joined = (name: string): string => deltas.map((delta) => (delta[name] as string | undefined) ?? "").join("");
  const calls: (Json & { function: { name: string; arguments: string } })[] = [];
  for (const { index, function: fn, ...call } of deltas.flatMap((delta) => (delta["tool_calls"] ?? []) as (typeof calls)[number][])) {
    const known = calls[Number(index)];
    if (known) known.function.arguments += fn.arguments;
    else calls[Number(index)] = { ...call, function: { ...fn } };
  }
  const [text, refusal, reasoning] = [textOf(chunks), joined("refusal"), joined("reasoning_content")];
  const message = {
    role: "assistant",
    content: text === "" && (calls.length > 0 || refusal !== "") ? null : text,
    refusal: refusal === "" ? null : refusal,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return { message, finishReason: chunks.flatMap(({ choices }) => choices.map((each) => each.finish_reason)).findLast(Boolean) };
}

describe("a response", () => {
  test("has its text, its counts and its ID", () => {
    const { body, usage } = responsesDialect.readCompletion(JSON.stringify(responseOf([said("Hello")])), responsesCall({}));
    expect(JSON.parse(body)).toMatchObject({ id: "resp_1", model: "public-name", choices: [{ message: { content: "Hello" } }] });
    expect(usage).toEqual(COUNTS);
    const streamed = readStream(eventsOf(responseOf([thought([], "ZW5j"), said("Hello")])));
    expect(streamed).toMatchObject({ usage: COUNTS, uncountedBytes: 0, text: expect.stringContaining('"id":"resp_1"') });
  });

  test("has arguments that clients can parse for a call without any", () => {
    const response = responseOf([called("call_1", "")]);
    const calls = [completionOf(response), streamedMessage(eventsOf(response))].map(({ message }) => message["tool_calls"]);
    for (const list of calls) expect(list).toMatchObject([{ function: { arguments: "{}" } }]);
  });

  test("has the reasoning of a call in its extra content, and texts at different places as paragraphs", () => {
    const output = [thought(["I look.", "There."], "ZW5j"), said("One."), called("call_1", "{}"), called("call_2", "{}"), said("Two.")];
    const { message, finishReason } = completionOf(responseOf(output));
    expect(finishReason).toBe("tool_calls");
    expect(message).toMatchObject({ content: "One.\n\nTwo.", reasoning_content: "I look.\n\nThere." });
    const [first, second] = message["tool_calls"] as [Json, Json];
    const summary = [
      { type: "summary_text", text: "I look." },
      { type: "summary_text", text: "There." },
    ];
    expect(first["extra_content"]).toEqual({
      openai: {
        reasoning: [{ type: "reasoning", summary, encrypted_content: "ZW5j" }],
        encrypted_for: expect.stringMatching(/^[\da-f]{4}$/),
      },
    });
    expect(second).not.toHaveProperty("extra_content");
  });

  test("has its refusal where chat completions have it", () => {
    expect(completionOf(responseOf([refused("No.")]))).toMatchObject({ message: { content: null, refusal: "No." }, finishReason: "stop" });
  });

  test.each([
    ["max_output_tokens", "length", []],
    ["content_filter", "content_filter", []],
    ["new_reason", "length", ["finish_reason_unknown"]],
  ])("that is incomplete because of %s ends with %s", (reason, finishReason, deviations) => {
    const incomplete = responseOf([said("Hel")], { status: "incomplete", incomplete_details: { reason } });
    expect(completionOf(incomplete)).toMatchObject({ finishReason, deviations });
    expect(streamedMessage(eventsOf(incomplete)).finishReason).toBe(finishReason);
  });

  test("without counts is counted by its bytes, encrypted reasoning included", () => {
    const response = responseOf([thought([], "ZW5j"), said("Hello")], { usage: null });
    const call = responsesCall({});
    expect(responsesDialect.readCompletion(JSON.stringify(response), call)).toMatchObject({ usage: undefined, uncountedBytes: 9 });
    expect(call.deviations).toEqual(["usage_missing"]);
    expect(readStream(eventsOf(response))).toMatchObject({ usage: undefined, uncountedBytes: 9, deviations: ["usage_missing"] });
  });

  test("with items of other kinds is passed on without them", () => {
    const { message, deviations } = completionOf(responseOf([{ type: "web_search_call" }, said("Hello")]));
    expect([message["content"], deviations]).toEqual(["Hello", ["event_unexpected"]]);
  });
});

describe("a failure", () => {
  const FAILURES = [
    [{ code: "rate_limit_exceeded", message: "Slow down." }, "overloaded", "busy"],
    [{ code: "server_error", message: "Oops." }, "upstream_error", "failed"],
    [{ code: "insufficient_quota", message: "You exceeded your current quota." }, "upstream_error", "failed"],
    [{ code: "context_length_exceeded", message: "Your input exceeds the context window." }, "context_length_exceeded", undefined],
    [{ code: "invalid_image_url", message: "The image is gone." }, "invalid_value", undefined],
    [
      { code: "invalid_prompt", message: "Invalid prompt: your prompt was flagged as potentially …" },
      "content_policy_violation",
      undefined,
    ],
    [{ code: "bio_policy", message: "This is about biology." }, "content_policy_violation", undefined],
  ] as const;

  test.each(FAILURES)("%j has the same error as JSON, as an event and as a failed response", (error, code, fault) => {
    const failed = responseOf([], { status: "failed", error });
    const [created] = eventsOf(responseOf([])) as [Json];
    const failures = [
      () => completionOf(failed),
      () => readStream([created, { type: "response.failed", response: failed }]),
      () => readStream([created, { type: "error", ...error }]),
    ].map((act) => failureOf(act));
    for (const failure of failures) expect([failure.code, failure.fault?.kind]).toEqual([code, fault]);
  });

  test("the words about the operator's quota are not the caller's", () => {
    const { message } = failureOf(() => completionOf(responseOf([], { status: "failed", error: FAILURES[2][0] })));
    expect(message).not.toContain("quota");
  });

  test.each(["in_progress", "queued", "cancelled"])("a JSON response that is %s is incomplete", (status) => {
    expect(failureOf(() => completionOf(responseOf([], { status }))).code).toBe("upstream_error");
  });

  test("a stream that is cut after any event is never complete", () => {
    const events = eventsOf(responseOf([thought(["Hm."], "ZW5j"), said("Hello"), called("call_1", '{"a":1}')]));
    for (const at of events.keys()) expect(failureOf(() => readStream(events.slice(0, at))).code).toBe("upstream_error");
  });
});

test("items and reasoning without an end fail, instead of filling the memory", () => {
  const opened = Array.from({ length: 1_001 }, (_, at) => ({ type: "response.output_item.added", output_index: at, item: said() }));
  expect(failureOf(() => readStream(opened)).detail).toBe("too many items at a time");
  const item = thought([], "x".repeat(1024 * 1024));
  const endless = Array.from({ length: 9 }, (_, at) => ({ type: "response.output_item.done", output_index: at, item }));
  expect(failureOf(() => readStream(endless)).detail).toBe("reasoning without an end");
});

test("nothing is sent before the first content, so that the gateway can still fail over", () => {
  const translator = responsesDialect.readEvents(responsesCall({ stream: true }));
  const chunks: string[] = [];
  const sentAfter = eventsOf(responseOf([said("Hello")])).map((event) => {
    translator.take(JSON.stringify(event), chunks);
    return chunks.length;
  });
  expect(sentAfter.slice(0, 4)).toEqual([0, 0, 0, 1]);
});

test("a server without deltas is read by its complete items", () => {
  const response = responseOf([thought(["Hm."], "ZW5j"), said("Hello"), called("call_1", '{"a":1}')]);
  const events = eventsOf(response).filter(({ type }) => !String(type).endsWith(".delta"));
  expect(streamedMessage(events)).toEqual(streamedMessage(eventsOf(response)));
  const unopened = events.filter(({ type }) => type !== "response.output_item.added");
  expect(streamedMessage(unopened)).toEqual(streamedMessage(events));
});

test("a call without an end is read from the whole response, and a stream that has it nowhere is cut off", () => {
  const response = responseOf([said("Hello"), called("call_1", '{"a":1}')]);
  const unended = eventsOf(response).filter(({ type, output_index: at }) => !(type === "response.output_item.done" && at === 1));
  const half = unended.filter(({ delta }) => delta !== "}");
  const none = unended.filter(({ type }) => type !== "response.function_call_arguments.delta");
  for (const events of [unended, half, none]) expect(streamedMessage(events)).toEqual(streamedMessage(eventsOf(response)));
  const nowhere = [...half.slice(0, -1), { type: "response.completed", response: responseOf([said("Hello")]) }];
  expect(failureOf(() => readStream(nowhere))).toMatchObject({ code: "upstream_error", detail: "a tool call without an end" });
});

test("a call that the output limit has cut stays as it is", () => {
  const response = responseOf([called("call_1", '{"a":1}')], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  const cut = eventsOf({ ...response, output: [called("call_1", '{"a"')] }).filter(({ type }) => type !== "response.output_item.done");
  const { message, finishReason } = streamedMessage([
    ...cut.slice(0, -1),
    { type: "response.incomplete", response: { ...response, output: [] } },
  ]);
  expect([message["tool_calls"], finishReason]).toMatchObject([[{ function: { arguments: '{"a"' } }], "length"]);
});

test("output that only the last event has is read like a response in JSON", () => {
  const response = responseOf([thought(["Hm."], "ZW5j"), said("Hello"), called("call_1", '{"a":1}')]);
  const [created] = eventsOf(response) as [Json];
  const events = [created, { type: "response.completed", response }];
  expect(streamedMessage(events)).toEqual(streamedMessage(eventsOf(response)));
  const { message, finishReason } = completionOf(response);
  expect(streamedMessage(events)).toEqual({ message, finishReason });
  expect(readStream(events)).toMatchObject({ usage: COUNTS, uncountedBytes: 0 });
});

test("a stream that is truncated by the gateway has one end", () => {
  const translator = responsesDialect.readEvents(responsesCall({ stream: true }));
  const chunks: string[] = [];
  for (const event of eventsOf(responseOf([said("Hello")])).slice(0, 5)) translator.take(JSON.stringify(event), chunks);
  chunks.push(...translator.closingChunks("length"), "[DONE]");
  expectGoodStream(chunks.map((chunk) => `data: ${chunk}\n\n`).join(""), "public-name");
  expect(translator.closingChunks("length")).toEqual([]);
});

const words = fc.oneof(fc.constantFrom("", "Hello", " ", "Æ 😀"), fc.string({ maxLength: 8 }));
const item: fc.Arbitrary<Json> = fc.oneof(
  fc.array(words, { maxLength: 3 }).map((texts) => said(...texts)),
  words.map(refused),
  fc.tuple(fc.array(words, { maxLength: 3 }), fc.option(fc.constantFrom("", "ZW5j"), { nil: undefined })).map((some) => thought(...some)),
  fc.tuple(fc.uuid(), fc.json()).map((some) => called(...some)),
);
const documented = fc
  .tuple(
    fc.array(item, { maxLength: 5 }),
    fc.constantFrom("completed", "incomplete"),
    fc.constantFrom("max_output_tokens", "content_filter"),
  )
  .map(([output, status, reason]) => responseOf(output, { status, incomplete_details: status === "completed" ? null : { reason } }));

test("any documented response is translated to the same content as JSON and as a stream, wherever it is split", () => {
  const property = fc.property(
    documented,
    fc.integer({ min: 1, max: 9 }),
    fc.array(fc.nat(), { maxLength: 8 }),
    (response, chars, cuts) => {
      const { message, finishReason } = completionOf(response);
      expect(streamedMessage(eventsOf(response, chars), cuts)).toEqual({ message, finishReason });
      const output = response["output"] as Json[];
      const calls = output.filter(({ type }) => type === "function_call");
      expect(((message["tool_calls"] ?? []) as Json[]).map((call) => [call["id"], (call["function"] as Json)["arguments"]])).toEqual(
        calls.map((call) => [call["call_id"], call["arguments"]]),
      );
    },
  );
  fc.assert(property, runs(400));
});

test("any other events have a defined outcome: content and one end, or an ApiError", () => {
  const names = fc.constantFrom("type", "response", "item", "output_index", "delta", "content_index", "error", "status", "call_id", "name");
  const strange = fc.record({ at: fc.nat(), name: names, value: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined)) });
  const order = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 3 });
  const property = fc.property(documented, fc.array(strange, { maxLength: 3 }), order, (response, changes, swaps) => {
    const events = eventsOf(response);
    for (const { at, name, value } of changes) {
      const event = events[at % events.length]!;
      const place = isRecord(event["item"]) && name in event["item"] ? (event["item"] = { ...event["item"] }) : event;
      place[name] = value;
    }
    for (const [from, to] of swaps) events.splice(to % events.length, 0, ...events.splice(from % events.length, 1));
    try {
      expectGoodStream(readStream(events).text, "public-name", { usage: true });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      expect(["upstream_error", "overloaded", "invalid_value", "upstream_timeout"]).toContain(error.code);
    }
  });
  fc.assert(property, runs(400));
});

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
