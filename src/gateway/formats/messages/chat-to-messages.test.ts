import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../../test/support/long.ts";
import { failureOf } from "../../../../test/clients/failure-of.ts";
import { readMessage } from "../../../../test/messages/read-message.ts";
import { next } from "../../../lib/async/source.ts";
import type { Usage } from "../../../money/usage.ts";
import type { ChunkStream } from "../../../upstreams/upstream.ts";
import { TranslatedStream } from "../translation.ts";
import { MessageWriter, toMessage } from "./chat-to-messages.ts";

type Json = Record<string, unknown>;

const USAGE: Usage = { promptTokens: 15, completionTokens: 7, cachedTokens: 3, cacheWriteTokens: 2, reasoningTokens: 1 };
const COUNTS = { input_tokens: 10, cache_read_input_tokens: 3, cache_creation_input_tokens: 2, output_tokens: 7 };

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}

/** The deltas of a response. `order` decides how its calls are mixed: each is opened by its first piece. */
function deltasOf(thinking: readonly string[], texts: readonly string[], calls: readonly Call[], order: readonly number[]): Json[] {
  const pieces = calls.map(({ id, name, input }, index) => {
    const text = JSON.stringify(input);
    const opened = { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
    return [opened, ...[text.slice(0, text.length >> 1), text.slice(text.length >> 1)].map((piece) => argumentsOf(index, piece))];
  });
  const mixed: Json[] = [];
  for (const which of order) {
    // A call is opened after the calls before it.
    const opened = pieces.findIndex((list) => list.length === 3);
    const index = calls.length === 0 ? 0 : which % (opened < 0 ? calls.length : opened + 1);
    const piece = pieces[index]?.shift();
    if (piece) mixed.push(piece);
  }
  return [...thinking.map((piece) => ({ reasoning_content: piece })), ...texts.map((content) => ({ content })), ...mixed, ...pieces.flat()];
}

const argumentsOf = (index: number, piece: string): Json => ({ tool_calls: [{ index, function: { arguments: piece } }] });

const chunkOf = (delta: Json, reason: string | null = null): string =>
  JSON.stringify({ id: "chatcmpl-1", model: "public", choices: [{ index: 0, delta, finish_reason: reason }] });

async function eventsOf(chunks: readonly string[], sizes: readonly number[]): Promise<Json[]> {
  const unread = [...chunks];
  const reads = [...sizes];
  const source: ChunkStream = {
    usage: USAGE,
    uncountedBytes: 0,
    read(consumer) {
      const batch = unread.splice(0, Math.max(1, reads.shift() ?? 1));
      if (batch.length > 0) consumer.take(batch);
      else consumer.end();
    },
    endEvents: () => [],
    stop: () => [],
    cancel: () => undefined,
  };
  const stream = new TranslatedStream(source, new MessageWriter());
  const events: string[] = [];
  for (let batch = await next(stream); batch; batch = await next(stream)) events.push(...batch);
  return [...events, ...stream.endEvents(USAGE)].map((event) => JSON.parse(event) as Json);
}

const words = fc.string({ minLength: 1, maxLength: 8 });
const call = fc.record({
  id: fc.uuid(),
  name: fc.constantFrom("read", "edit", "run"),
  input: fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 5 }), { maxKeys: 3 }),
});

test("any response in any chunks is a message that a strict client accepts, with the same content", async () => {
  const same = fc.asyncProperty(
    fc.array(words, { maxLength: 3 }),
    fc.array(words, { maxLength: 3 }),
    fc.array(call, { maxLength: 4 }),
    fc.array(fc.nat(7), { maxLength: 12 }),
    fc.array(fc.nat(4), { maxLength: 12 }),
    fc.constantFrom(["stop", "end_turn"], ["length", "max_tokens"], ["tool_calls", "tool_use"], ["content_filter", "refusal"]),
    async (thinking, texts, calls, order, sizes, [reason, stopReason]) => {
      const chunks = [{ role: "assistant" }, ...deltasOf(thinking, texts, calls, order)].map((delta) => chunkOf(delta));
      const message = readMessage(await eventsOf([...chunks, chunkOf({}, reason)], sizes));
      expect(message).toEqual({
        model: "public",
        stopReason,
        usage: COUNTS,
        content: [
          ...(thinking.length > 0 ? [{ type: "thinking", thinking: thinking.join(""), signature: "tollgate" }] : []),
          ...(texts.length > 0 ? [{ type: "text", text: texts.join("") }] : []),
          ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
        ],
      });
    },
  );
  await fc.assert(same, runs(300, 20_000));
});

test("arguments that go on after they were whole break the stream, and are not lost silently", async () => {
  const opened = { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "run", arguments: "{}" } }] };
  const second = { tool_calls: [{ index: 1, id: "b", type: "function", function: { name: "run", arguments: "{}" } }] };
  const late = { tool_calls: [{ index: 0, function: { arguments: '{"more":1}' } }] };
  const reading = eventsOf(
    [opened, second, late].map((delta) => chunkOf(delta)),
    [],
  );
  expect(await failureOf(reading)).toMatchObject({ code: "upstream_error" });
});

test("ids that Anthropic rejects are replaced, and numbers keep their digits", () => {
  const called = { id: "functions.run:0", type: "function", function: { name: "run", arguments: '{"id":12345678901234567890}' } };
  const message = { role: "assistant", content: null, tool_calls: [called] };
  const body = JSON.stringify({ id: "chatcmpl-1", model: "public", choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  const written = toMessage({ body, usage: USAGE, uncountedBytes: 0 }).body;
  expect(written).toContain('"input":{"id":12345678901234567890}');
  expect(written).toMatch(/"id":"functions_run_0_[a-z0-9]+"/);
});

test("a JSON response has the same blocks, and arguments that are not an object become an empty input", () => {
  const message = {
    role: "assistant",
    content: "Hi",
    reasoning_content: "Hm.",
    tool_calls: [{ id: "a", type: "function", function: { name: "run", arguments: '{"cut":' } }],
  };
  const body = JSON.stringify({ id: "chatcmpl-1", model: "public", choices: [{ index: 0, message, finish_reason: "length" }] });
  const { body: written, ...counted } = toMessage({ body, usage: USAGE, uncountedBytes: 0 });
  expect(counted).toEqual({ usage: USAGE, uncountedBytes: 0 });
  expect(JSON.parse(written)).toEqual({
    id: expect.stringMatching(/^msg_\w{32}$/),
    type: "message",
    role: "assistant",
    model: "public",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "tollgate" },
      { type: "text", text: "Hi" },
      { type: "tool_use", id: "a", name: "run", input: {} },
    ],
    stop_reason: "max_tokens",
    stop_sequence: null,
    usage: COUNTS,
  });
});
