import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { chunk } from "../../../test/support/upstreams/mock-upstream.ts";
import { callOf, chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import { ChunkMender } from "./chunk-mender.ts";

test("relays any well-formed chunk unchanged under the public model name, and counts its text", () => {
  const deltas = fc.oneof(
    fc.string({ unit: "grapheme" }).map((content) => ({ content })),
    fc.constantFrom({ content: '"' }, { content: "\n" }, { content: null }, { refusal: "no" }, { reasoning_content: "hm" }, {}),
  );
  const faithful = fc.property(fc.array(deltas, { maxLength: 12 }), (sent) => {
    const mender = new ChunkMender(callOf(chatOf({ model: "public" })));
    const events = [{ role: "assistant", content: "" }, ...sent].map((delta) => chunk(delta));
    const chunks: string[] = [];
    for (const event of events) expect(mender.take(event, chunks)).toBe(false);
    expect(chunks.map((each) => JSON.parse(each) as unknown)).toEqual(
      events.map((event) => ({ ...(JSON.parse(event) as object), model: "public" })),
    );
    expect(mender.uncountedBytes).toBe(Buffer.byteLength(sent.flatMap((delta) => Object.values(delta)).join("")));
  });
  fc.assert(faithful, runs(750, 60_000));
});

const SAFE = { hate: { filtered: false, severity: "safe" }, jailbreak: { filtered: false, detected: false } };
const PROMPT_RESULTS = [{ prompt_index: 0, content_filter_results: SAFE }];
/** A chunk in which Azure sends data that belongs to no text. */
const NO_HEAD = { id: "", object: "", created: 0, model: "" };

function mendAll(events: readonly string[]): Record<string, unknown>[] {
  const mender = new ChunkMender(callOf(chatOf({ model: "public" })));
  const chunks: string[] = [];
  for (const event of events) mender.take(event, chunks);
  mender.requireFinished();
  return chunks.map((each) => JSON.parse(each) as Record<string, unknown>);
}

test("adds the content filter results of the prompt to the first chunk with a choice, and to no other", () => {
  const filtered = (event: string): string => event.replace('"delta"', `"content_filter_results":${JSON.stringify(SAFE)},"delta"`);
  const texts = ["Hel", "lo", " you"].map((content) => filtered(chunk({ content })));
  const before = JSON.stringify({ ...NO_HEAD, choices: [], prompt_filter_results: PROMPT_RESULTS });
  const chunks = mendAll([before, chunk({ role: "assistant", content: "" }), ...texts, chunk({}, "stop"), "[DONE]"]);
  expect(chunks.map((each) => each["prompt_filter_results"])).toEqual([PROMPT_RESULTS, undefined, undefined, undefined, undefined]);
  const results = chunks.map((each) => (each["choices"] as Record<string, unknown>[])[0]!["content_filter_results"]);
  expect(results).toEqual([undefined, SAFE, SAFE, SAFE, undefined]);
  expect(new Set(chunks.map(({ id, model }) => `${String(id)} ${String(model)}`)).size).toBe(1);
});

test("relays the results of the asynchronous content filter, which come without a delta and after the end", () => {
  const offsets = { check_offset: 5, start_offset: 5, end_offset: 10 };
  const late = { index: 0, finish_reason: null, content_filter_results: SAFE, content_filter_offsets: offsets };
  const event = JSON.stringify({ ...NO_HEAD, choices: [late], usage: null });
  const chunks = mendAll([
    chunk({ role: "assistant", content: "" }),
    event,
    chunk({ content: "Hello" }),
    chunk({}, "stop"),
    event,
    "[DONE]",
  ]);
  expect(chunks).toHaveLength(5);
  for (const at of [1, 4]) expect(chunks[at]).toMatchObject({ id: chunks[0]!["id"], choices: [{ ...late, delta: {} }] });
});
