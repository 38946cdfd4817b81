import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import type { ByteText } from "../../lib/text/byte-text.ts";
import { encodedText } from "./encoded-text.ts";

const isBase64 = (text: string, from = 0): boolean => encodedText(text, "" as ByteText).isBase64(from);

/** Lengths around one chunk and around several chunks. */
const sizes = fc.oneof(fc.nat(100), fc.integer({ min: 49_100, max: 49_200 }), fc.integer({ min: 147_400, max: 147_500 }));

test("base64 of any length is base64, in both alphabets and with line breaks", () => {
  const encoded = fc.property(sizes, fc.constantFrom("base64" as const, "base64url" as const), (size, alphabet) => {
    const text = Buffer.alloc(size + 1, "\u00fb\u00ff~a", "latin1").toString(alphabet);
    for (const each of [text, `${text}\r\n`, text.replaceAll(/.{76}/g, "$&\n")]) expect(isBase64(each)).toBe(true);
    expect(isBase64(`data:${text}`, 5)).toBe(true);
  });
  fc.assert(encoded, runs(60));
});

test("one other character anywhere makes it text", () => {
  const changed = fc.property(sizes, fc.nat(), fc.constantFrom(" ", ".", "=", "é", "\0", "\u2028"), (size, at, other) => {
    const text = Buffer.alloc(size + 3, "text")
      .toString("base64")
      .replace(/=+$/, "");
    const place = at % (text.length - 1);
    expect(isBase64(text.slice(0, place) + other + text.slice(place))).toBe(false);
  });
  fc.assert(changed, runs(200));
});

test("an empty string or padding only is not base64", () => {
  for (const text of ["", "=", "=="]) expect(isBase64(text)).toBe(false);
  expect(isBase64("data:", 5)).toBe(false);
});
