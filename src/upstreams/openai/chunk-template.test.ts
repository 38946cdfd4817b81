import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/long.ts";
import { TextFrame } from "./chunk-template.ts";

const event = (content: string, rest = ""): string => `{"id":"a","choices":[{"index":0,"delta":{"content":"${content}"}}]${rest}}`;
const written = (content: string): string => event(content, ',"model":"public"');

function frameOf(came: string, text: string, went = came): TextFrame {
  const frame = TextFrame.of(came, text, went);
  if (!frame) throw new Error("no frame");
  return frame;
}

describe("the frame of a text", () => {
  test("is filled with the text of the next event, and only where that stands in JSON as it is said", () => {
    const frame = frameOf(event("one"), "one", written("one"));
    const alike = fc.property(fc.string({ unit: "grapheme" }), (said) => {
      const text = frame.textIn(event(JSON.stringify(said).slice(1, -1)));
      const isPlain = JSON.stringify(said) === `"${said}"`;
      expect(text).toBe(isPlain ? said : undefined);
      if (text !== undefined) expect(frame.around(text)).toBe(written(said));
    });
    fc.assert(alike, runs(5000));
  });

  test("never takes an event for another: what it gives is what the event says, and what is around it is the same", () => {
    const frame = frameOf(event("one"), "one");
    const pieces = fc.constantFrom('"', "\\", ",", "}", "]", "content", '"content":"', "x", "\n", "one", '"}}]', " ");
    const sound = fc.property(fc.array(pieces, { maxLength: 8 }), fc.array(pieces, { maxLength: 2 }), (inside, around) => {
      const other = event(inside.join("")) + around.join("");
      const text = frame.textIn(other);
      if (text !== undefined) expect(JSON.parse(other)).toEqual(JSON.parse(event(text)));
    });
    fc.assert(sound, runs(20_000));
  });

  test("is none where `content` is not the only one, or its text is written in another way", () => {
    const twice = '{"delta":{"content":"a"},"logprobs":{"content":"a"}}';
    const escaped = '{"delta":{"content":"\\u0061"}}';
    const quoted = '{"delta":{"content":"\\""}}';
    expect([TextFrame.of(twice, "a", twice), TextFrame.of(escaped, "a", escaped), TextFrame.of(quoted, '"', quoted)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("may have a blank before the text", () => {
    expect(frameOf('{"content": "a"}', "a").textIn('{"content": "b"}')).toBe("b");
  });

  test("does not fit an event that is shorter than itself", () => {
    const frame = frameOf('{"content":""}', "");
    expect([frame.textIn('{"content":"}'), frame.textIn('{"content":""}')]).toEqual([undefined, ""]);
  });
});
