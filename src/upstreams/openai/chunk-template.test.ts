import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { ChunkTemplate } from "./chunk-template.ts";

const event = (content: string, rest = ""): string => `{"id":"a","choices":[{"index":0,"delta":{"content":"${content}"}}]${rest}}`;
const written = (content: string): string => event(content, ',"model":"public"');

function frameOf(came: string, text: string, went = came): ChunkTemplate {
  const frame = ChunkTemplate.of(came, text, went);
  if (!frame) throw new Error("no frame");
  return frame;
}

describe("a chunk template", () => {
  test("matches the next event only where its text needs no JSON escapes", () => {
    const frame = frameOf(event("one"), "one", written("one"));
    const alike = fc.property(fc.string({ unit: "grapheme" }), (value) => {
      const text = frame.match(event(JSON.stringify(value).slice(1, -1)));
      const isPlain = JSON.stringify(value) === `"${value}"`;
      expect(text).toBe(isPlain ? value : undefined);
      if (text !== undefined) expect(frame.render(text)).toBe(written(value));
    });
    fc.assert(alike, runs(1250, 100_000));
  });

  test("never matches a different event: the text and the JSON around it are those of the event", () => {
    const frame = frameOf(event("one"), "one");
    const pieces = fc.constantFrom('"', "\\", ",", "}", "]", "content", '"content":"', "x", "\n", "one", '"}}]', " ");
    const sound = fc.property(fc.array(pieces, { maxLength: 8 }), fc.array(pieces, { maxLength: 2 }), (inside, around) => {
      const other = event(inside.join("")) + around.join("");
      const text = frame.match(other);
      if (text !== undefined) expect(JSON.parse(other)).toEqual(JSON.parse(event(text)));
    });
    fc.assert(sound, runs(5000, 400_000));
  });

  test("is not created where `content` is not unique, or its text is escaped", () => {
    const twice = '{"delta":{"content":"a"},"logprobs":{"content":"a"}}';
    const escaped = '{"delta":{"content":"\\u0061"}}';
    const quoted = '{"delta":{"content":"\\""}}';
    expect([ChunkTemplate.of(twice, "a", twice), ChunkTemplate.of(escaped, "a", escaped), ChunkTemplate.of(quoted, '"', quoted)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("may have a space before the text", () => {
    expect(frameOf('{"content": "a"}', "a").match('{"content": "b"}')).toBe("b");
  });

  test("does not match an event that is shorter than itself", () => {
    const frame = frameOf('{"content":""}', "");
    expect([frame.match('{"content":"}'), frame.match('{"content":""}')]).toEqual([undefined, ""]);
  });
});
