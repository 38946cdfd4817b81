import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { mendStream } from "../../../test/support/upstreams/mend-stream.ts";
import { chunk, usageChunk } from "../../../test/support/upstreams/mock-upstream.ts";

type Json = Record<string, unknown>;
type Piece = Json & { choices: (Json & { delta: Json & { tool_calls?: (Json & { function: Json })[] } })[] };

/** The intended output of an upstream: text deltas, then tool calls with their argument deltas. */
const output = fc.record({
  text: fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 4 }),
  calls: fc.array(
    fc.record({ arguments: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }), pieceChars: fc.integer({ min: 1, max: 9 }) }),
    { maxLength: 3 },
  ),
});
type Output = typeof output extends fc.Arbitrary<infer S> ? S : never;

function openingPiece(index: number): object {
  return { index, id: `call-${index}`, type: "function", function: { name: `tool-${index}`, arguments: "" } };
}

function toStream({ text, calls }: Output): Piece[] {
  const pieces = [
    chunk({ role: "assistant", content: "" }),
    ...text.map((content) => chunk({ content })),
    ...calls.flatMap((call, index) => [
      chunk({ tool_calls: [openingPiece(index)] }),
      ...cut(JSON.stringify(call.arguments), call.pieceChars).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
  ];
  return pieces.map((piece) => JSON.parse(piece) as Piece);
}

function cut(text: string, chars: number): string[] {
  return Array.from({ length: Math.ceil(text.length / chars) }, (_, at) => text.slice(at * chars, (at + 1) * chars));
}

/** The ways a server numbers and names tool calls: consistent for all streams of one server. */
const NUMBERING: Record<string, (call: Json & { function: Json }) => void> = {
  right: () => undefined,
  none: (call) => delete call["index"],
  zeros: (call) => (call["index"] = 0),
  "from one": (call) => (call["index"] = Number(call["index"]) + 1),
  "right, but without ids": (call) => delete call["id"],
};

/** Format deviations of one chunk that leave its meaning unambiguous. */
const MUTATIONS: Record<string, (piece: Piece, at: number) => void> = {
  "no id": (piece) => delete piece["id"],
  "another id": (piece, at) => (piece["id"] = `other-${at}`),
  "created as text": (piece) => (piece["created"] = "1700000000"),
  "another created": (piece, at) => (piece["created"] = 1_700_000_001 + at),
  "no object": (piece) => delete piece["object"],
  "error: null": (piece) => (piece["error"] = null),
  "no index": (piece) => delete piece.choices[0]!["index"],
  "no finish reason": (piece) => (piece.choices[0]!["finish_reason"] ??= ""),
  "no role": (piece) => delete piece.choices[0]!.delta["role"],
  "the role": (piece) => (piece.choices[0]!.delta["role"] = "assistant"),
  "role: null": (piece) => (piece.choices[0]!.delta["role"] = null),
  "content in parts": (piece) => {
    const { delta } = piece.choices[0]!;
    if (typeof delta["content"] === "string") delta["content"] = [{ type: "text", text: delta["content"] }];
  },
  "no type": (piece) => delete piece.choices[0]!.delta.tool_calls?.[0]!["type"],
  "a type": (piece) => piece.choices[0]!.delta.tool_calls?.forEach((call) => (call["type"] = "function")),
  "an empty name": (piece) => piece.choices[0]!.delta.tool_calls?.forEach(({ function: fn }) => (fn["name"] ??= "")),
  "arguments: null": (piece) => piece.choices[0]!.delta.tool_calls?.forEach(({ function: fn }) => (fn["arguments"] ||= null)),
  "another word to finish": (piece) => {
    const choice = piece.choices[0]!;
    if (choice["finish_reason"] === "stop") choice["finish_reason"] = "EOS";
    if (choice["finish_reason"] === "tool_calls") choice["finish_reason"] = "stop";
  },
  counts: (piece, at) => (piece["usage"] = { prompt_tokens: 5, completion_tokens: at, total_tokens: 1 }),
  "counts that are none": (piece) => (piece["usage"] = { tokens: "many" }),
};

/** Other events between or after the chunks. */
const BETWEEN = ['{"type":"ping"}', "", chunk({}), usageChunk(), JSON.stringify({ choices: [], prompt_filter_results: [] })];

const stream = fc.record({
  output,
  numbering: fc.constantFrom(...Object.keys(NUMBERING)),
  mutations: fc.array(fc.tuple(fc.constantFrom(...Object.keys(MUTATIONS)), fc.nat()), { maxLength: 8 }),
  between: fc.array(fc.tuple(fc.constantFrom(...BETWEEN), fc.nat()), { maxLength: 3 }),
  isFinishedTwice: fc.boolean(),
  isDone: fc.boolean(),
});

test("repairs any combination of format deviations without changing the content", () => {
  fc.assert(
    fc.property(stream, ({ output: meant, numbering, mutations, between, isFinishedTwice, isDone }) => {
      const pieces = toStream(meant);
      for (const piece of pieces) piece.choices[0]!.delta.tool_calls?.forEach(NUMBERING[numbering]!);
      for (const [name, place] of mutations) MUTATIONS[name]!(pieces[place % pieces.length]!, place % pieces.length);
      const events = pieces.map((piece) => JSON.stringify(piece));
      if (isFinishedTwice) events.push(events.at(-1)!);
      for (const [event, place] of between) events.splice(place % (events.length + 1), 0, event);
      const { chunks, reported } = mendStream(isDone ? [...events, "[DONE]"] : events);
      expect(heardIn(chunks)).toEqual({
        text: meant.text.join(""),
        calls: meant.calls.map((call, at) => ({ name: `tool-${at}`, arguments: JSON.stringify(call.arguments) })),
        finishReasons: [meant.calls.length > 0 ? "tool_calls" : "stop"],
      });
      expect(new Set(reported).size).toBe(reported.length);
    }),
    runs(1000),
  );
});

function heardIn(chunks: ReturnType<typeof mendStream>["chunks"]): object {
  const choices = chunks.flatMap((each) => each.choices);
  const calls: { name: string; arguments: string }[] = [];
  for (const call of choices.flatMap(({ delta }) => (delta["tool_calls"] ?? []) as { index: number; function: Record<string, string> }[])) {
    const received = (calls[call.index] ??= { name: "", arguments: "" });
    received.name += call.function["name"] ?? "";
    received.arguments += call.function["arguments"] ?? "";
  }
  return {
    text: choices.map(({ delta }) => (delta["content"] as string | null | undefined) ?? "").join(""),
    calls,
    finishReasons: choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null),
  };
}
