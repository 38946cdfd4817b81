import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { anthropicDialect } from "../../src/upstreams/anthropic/anthropic-dialect.ts";
import { EventReader } from "../../src/upstreams/streams/read-events.ts";
import type { EventTranslator } from "../../src/upstreams/dialect.ts";
import { ApiError } from "../../src/requests/api-error.ts";
import { expectGoodCompletion, expectGoodStream, type Chunk } from "../support/upstreams/conformance.ts";
import { runs } from "../support/long.ts";
import { callOf } from "./messages-call.ts";
import { blockEvents, message, messageDelta, PING, redacted, START, STOP, text, thinking, toolUse } from "./messages-answers.ts";

type Json = Record<string, unknown>;

const inputs = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

/** Blocks of every documented kind, and of an undocumented one. */
const blocks = fc.oneof(
  fc.string().map((words) => text(words)),
  fc.string().map((words) => thinking(words)),
  fc.constant(redacted()),
  fc.tuple(fc.uuid(), fc.constantFrom("weather", "now"), inputs).map(([id, name, input]) => toolUse(id, name, input)),
  fc.constantFrom<Json>(
    { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "s", content: [] },
    { type: "container_upload", file_id: "f" },
  ),
);

const stopReasons = fc.constantFrom(
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
  "something_new",
);

const counts = fc.record({ input_tokens: fc.nat(1e6), output_tokens: fc.nat(1e6), cache_read_input_tokens: fc.option(fc.nat(1e6)) });

interface Answer {
  readonly content: Json[];
  readonly stopReason: string;
  readonly usage: Json;
}

const answers: fc.Arbitrary<Answer> = fc.record({ content: fc.array(blocks, { maxLength: 5 }), stopReason: stopReasons, usage: counts });

/** The content of a response, streamed or not. */
interface ResponseContent {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: unknown[];
  readonly finishReason: unknown;
  readonly usage: unknown;
}

function expected({ content, stopReason, usage }: Answer): ResponseContent {
  const of = (type: string): Json[] => content.filter((block) => block["type"] === type);
  const calls = of("tool_use").map(({ id, name, input }) => [id, name, JSON.stringify(input)]);
  const cacheRead = (usage["cache_read_input_tokens"] as number | null) ?? 0;
  const prompt = (usage["input_tokens"] as number) + cacheRead;
  const completion = usage["output_tokens"] as number;
  return {
    text: of("text")
      .map((block) => block["text"])
      .join(""),
    reasoning: of("thinking")
      .map((block) => block["thinking"])
      .join(""),
    calls,
    finishReason: finishReason(stopReason, calls.length > 0),
    usage: [prompt, completion, prompt + completion],
  };
}

function finishReason(stopReason: string, hasCalls: boolean): string {
  if (stopReason === "refusal") return "content_filter";
  if (stopReason === "max_tokens" || stopReason === "model_context_window_exceeded") return "length";
  return hasCalls ? "tool_calls" : "stop";
}

const totals = (usage: unknown): unknown => {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage as Json;
  return [prompt, completion, total];
};

function readWhole({ content, stopReason, usage }: Answer): ResponseContent {
  const { body } = anthropicDialect.readCompletion(JSON.stringify(message(content, stopReason, { usage })), callOf({}));
  const completion = expectGoodCompletion(body, "public");
  expectFieldsIn(completion, ["id", "object", "created", "model", "choices", "usage"]);
  const [choice] = completion["choices"] as { message: Json; finish_reason: string }[];
  expectFieldsIn(choice!.message, ["role", "content", "refusal", "reasoning_content", "tool_calls"]);
  const calls = (choice!.message["tool_calls"] ?? []) as { id: string; function: { name: string; arguments: string } }[];
  return {
    text: (choice!.message["content"] as string | null) ?? "",
    reasoning: (choice!.message["reasoning_content"] as string | undefined) ?? "",
    calls: calls.map((call) => [call.id, call.function.name, call.function.arguments]),
    finishReason: choice!.finish_reason,
    usage: totals(completion["usage"]),
  };
}

function expectFieldsIn(value: object, known: readonly string[]): void {
  expect(Object.keys(value).filter((name) => !known.includes(name))).toEqual([]);
}

/** The bytes of a response's stream, its text split at these positions. */
function streamOf({ content, stopReason, usage }: Answer, size: number): Uint8Array {
  const cut = (words: string): string[] => words.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
  const events = content.flatMap((block, at) => [PING, ...blockEvents(block, at, cut)]);
  const start = { ...START, message: { ...START.message, usage: { ...usage, output_tokens: 0 } } };
  const all = [start, ...events, messageDelta(stopReason, usage), STOP];
  return new TextEncoder().encode(all.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

interface Pieces {
  readonly translator: EventTranslator;
  readonly chunks: string[];
  readonly failure?: unknown;
}

/** Reads a stream as it may arrive from the network, in pieces of these sizes. */
function readPieces(bytes: Uint8Array, sizes: readonly number[]): Pieces {
  const translator = anthropicDialect.readEvents(callOf({ stream: true }));
  const reader = new EventReader();
  const chunks: string[] = [];
  const take = (events: readonly string[]): boolean => events.some((event) => translator.take(event, chunks));
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (sizes[turn % sizes.length] ?? bytes.length);
    if (take(reader.feed(bytes.slice(at, end)))) return { translator, chunks };
    at = end;
  }
  try {
    take(reader.end());
    return { translator, chunks };
  } catch (failure) {
    // The last event was incomplete.
    return { translator, chunks, failure };
  }
}

function readStream(bytes: Uint8Array, sizes: readonly number[]): ResponseContent {
  const { translator, chunks: written, failure } = readPieces(bytes, sizes);
  expect(failure).toBeUndefined();
  translator.requireFinished();
  expect(translator.uncountedBytes).toBe(0);
  const all = [...written, ...translator.endEvents(translator.usage!, {}), "[DONE]"];
  const chunks = expectGoodStream(all.map((chunk) => `data: ${chunk}\n\n`).join(""), "public", { usage: true });
  const calls: [string, string, string][] = [];
  const said = { text: "", reasoning: "", finishReason: undefined as unknown };
  for (const { delta, finish_reason: reason } of chunks.flatMap(({ choices }) => choices)) {
    expectFieldsIn(delta, ["role", "content", "reasoning_content", "tool_calls"]);
    said.text += (delta["content"] as string | undefined) ?? "";
    said.reasoning += (delta["reasoning_content"] as string | undefined) ?? "";
    said.finishReason = reason ?? said.finishReason;
    gatherCalls(delta, calls);
  }
  return { ...said, calls, usage: totals((chunks.at(-1) as Chunk).usage) };
}

function bytesSaid(choices: Chunk["choices"]): number {
  const calls: [string, string, string][] = [];
  for (const { delta } of choices) gatherCalls(delta, calls);
  const words = choices.flatMap(({ delta }) => [delta["content"] ?? "", delta["reasoning_content"] ?? ""]);
  return [...words, ...calls.flatMap(([, name, args]) => [name, args])].reduce<number>(
    (sum, each) => sum + Buffer.byteLength(each as string),
    0,
  );
}

function gatherCalls(delta: Json, calls: [string, string, string][]): void {
  for (const call of (delta["tool_calls"] ?? []) as { index: number; id: string; function: { name: string; arguments: string } }[]) {
    calls[call.index] ??= [call.id, call.function.name, ""];
    calls[call.index]![2] += call.function.arguments;
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 });

describe("an answer of any documented shape", () => {
  test("says the same whole", () => {
    fc.assert(
      fc.property(answers, (answer) => expect(readWhole(answer)).toEqual(expected(answer))),
      runs(400),
    );
  });

  test("says the same in events, wherever the network cuts them", () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: 1, max: 20 }), sizes, (answer, size, cuts) =>
        expect(readStream(streamOf(answer, size), cuts)).toEqual(expected(answer)),
      ),
      runs(300),
    );
  });

  test("never looks complete where it was cut, and all that was said of it is counted or measured", () => {
    fc.assert(
      fc.property(answers, fc.double({ min: 0, max: 1, noNaN: true }), (answer, share) => {
        const bytes = streamOf(answer, 5);
        const { translator, chunks, failure } = readPieces(bytes.slice(0, Math.floor(share * bytes.length)), [bytes.length]);
        const deltas = chunks.flatMap((chunk) => (JSON.parse(chunk) as Chunk).choices);
        const isFinished = deltas.some((choice) => choice.finish_reason !== null);
        if (isFinished) return;
        expect(() => {
          if (failure) throw failure;
          translator.requireFinished();
        }).toThrow(expect.objectContaining({ code: "upstream_error", fault: { kind: "broken" } }));
        expect(translator.uncountedBytes).toBe(bytesSaid(deltas));
      }),
      runs(300),
    );
  });
});

test("events of no documented shape are passed over or refused, and never sent on", () => {
  const strange = fc.record(
    {
      type: fc.constantFrom(
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "error",
        "x",
      ),
      index: fc.jsonValue({ maxDepth: 0 }),
      message: fc.jsonValue({ maxDepth: 2 }),
      content_block: fc.oneof(blocks, fc.jsonValue({ maxDepth: 1 })),
      delta: fc.oneof(
        fc.constantFrom({ type: "text_delta" }, { type: "input_json_delta", partial_json: 5 }, { stop_reason: 5 }),
        fc.jsonValue({ maxDepth: 1 }),
      ),
      usage: fc.jsonValue({ maxDepth: 1 }),
      error: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: ["type"] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(strange, fc.constant(START)), { maxLength: 12 }), (events) => {
      const translator = anthropicDialect.readEvents(callOf({ stream: true }));
      const chunks: string[] = [];
      try {
        for (const event of events) translator.take(JSON.stringify(event), chunks);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
      const closed = [...chunks, ...translator.closingChunks("stop"), "[DONE]"];
      if (closed.length > 1) expectGoodStream(closed.map((chunk) => `data: ${chunk}\n\n`).join(""), "public");
    }),
    runs(500),
  );
});
