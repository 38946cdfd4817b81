import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import { onlyTextIn, TextChunk } from "./text-chunk.ts";

const event = (content: string): string => `{"id":"a","choices":[{"index":0,"delta":{"content":"${content}"}}]}`;

function templateOf(chunk: string, text: string): TextChunk {
  const template = TextChunk.of(chunk, text);
  if (!template) throw new Error("no template");
  return template;
}

describe("the template of a text chunk", () => {
  test("matches the next chunk only where its text needs no JSON escapes", () => {
    const template = templateOf(event("one"), "one");
    const alike = fc.property(fc.string({ unit: "grapheme" }), (value) => {
      const text = template.match(event(JSON.stringify(value).slice(1, -1)));
      const isPlain = JSON.stringify(value) === `"${value}"`;
      expect(text).toBe(isPlain ? value : undefined);
      if (text !== undefined) expect(template.render(text)).toBe(event(value));
    });
    fc.assert(alike, runs(1250, 100_000));
  });

  test("never matches a different chunk: the text and the JSON around it come from the chunk", () => {
    const template = templateOf(event("one"), "one");
    const pieces = fc.constantFrom('"', "\\", ",", "}", "]", "content", '"content":"', "x", "\n", "one", '"}}]', " ");
    const sound = fc.property(fc.array(pieces, { maxLength: 8 }), fc.array(pieces, { maxLength: 2 }), (inside, around) => {
      const other = event(inside.join("")) + around.join("");
      const text = template.match(other);
      if (text !== undefined) expect(JSON.parse(other)).toEqual(JSON.parse(event(text)));
    });
    fc.assert(sound, runs(5000, 400_000));
  });

  test("is not created where `content` is not unique, or its text is escaped", () => {
    const twice = '{"delta":{"content":"a"},"logprobs":{"content":"a"}}';
    const escaped = '{"delta":{"content":"\\u0061"}}';
    const quoted = '{"delta":{"content":"\\""}}';
    const spaced = '{"x":{"content":"a"},"delta":{"content" :"a"}}';
    expect([TextChunk.of(twice, "a"), TextChunk.of(escaped, "a"), TextChunk.of(quoted, '"'), TextChunk.of(spaced, "a")]).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
  });

  test("may have a space before the text", () => {
    expect(templateOf('{"content": "a"}', "a").match('{"content": "b"}')).toBe("b");
  });

  test("does not match a chunk that is shorter than itself", () => {
    const template = templateOf('{"content":""}', "");
    expect([template.match('{"content":"}'), template.match('{"content":""}')]).toEqual([undefined, ""]);
  });
});

test("a chunk with anything but text is not a text chunk", () => {
  const chunkOf = (delta: object, more: object = {}): object => ({ choices: [{ index: 0, delta, finish_reason: null, ...more }] });
  expect(onlyTextIn(chunkOf({ content: "a" }) as Record<string, unknown>)).toBe("a");
  const others = [
    chunkOf({ content: "a", role: "assistant" }),
    chunkOf({ content: null }),
    chunkOf({ content: "a" }, { finish_reason: "stop" }),
    { choices: [...(chunkOf({ content: "a" }) as { choices: [] }).choices, { index: 1, delta: {}, finish_reason: null }] },
    { choices: [] },
  ];
  for (const other of others) expect(onlyTextIn(other as Record<string, unknown>)).toBeUndefined();
});
