import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { cutText } from "../../../test/support/http/cut-text.ts";
import { runs } from "../../../test/support/long.ts";
import { BadChunks, ChunkedBody } from "./chunked-body.ts";

interface Read {
  readonly data: string;
  readonly bytes: number;
  readonly isComplete: boolean;
}

/** Feeds pieces, each character a byte, until the body ends. */
function read(pieces: readonly string[]): Read {
  const body = new ChunkedBody();
  let data = "";
  let bytes = 0;
  for (const piece of pieces) {
    const given = Buffer.from(piece, "latin1");
    body.parse(given, 0);
    data += given.toString("latin1", body.start, body.end);
    expect(given.toString("latin1", given.length - body.excess)).toBe(piece.slice(piece.length - body.excess));
    expect(body.isComplete || body.excess === 0).toBe(true);
    bytes += given.length - body.excess;
    if (body.isComplete) break;
  }
  return { data, bytes, isComplete: body.isComplete };
}

/** The result for these pieces, or the error that rejects them. */
function outcomeOf(pieces: readonly string[]): Read | string {
  try {
    return read(pieces);
  } catch (error) {
    if (error instanceof BadChunks) return error.message;
    throw error;
  }
}

const byteText = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
const places = fc.array(fc.nat(400), { maxLength: 30 });
const writtenBody = fc
  .record({
    parts: fc.array(
      byteText.filter((part) => part.length > 0),
      { maxLength: 8 },
    ),
    isUpper: fc.boolean(),
    zeros: fc.nat(3),
    extension: fc.constantFrom("", ";a", " ;a=b", ';a="x y"'),
    trailers: fc.constantFrom("", "A: b\r\n", "A:\r\nB: \u00e9\r\n"),
  })
  .map(({ parts, isUpper, zeros, extension, trailers }) => {
    const size = (part: string): string =>
      "0".repeat(zeros) + (isUpper ? part.length.toString(16).toUpperCase() : part.length.toString(16));
    const text = parts.map((part) => `${size(part)}${extension}\r\n${part}\r\n`).join("");
    return { data: parts.join(""), text: `${text}0${extension}\r\n${trailers}\r\n` };
  });

describe("a chunked body", () => {
  test("is decoded wherever chunks and packets end, and the bytes behind it are untouched", () => {
    fc.assert(
      fc.property(writtenBody, byteText, places, ({ data, text }, rest, at) => {
        expect(read(cutText(text + rest, at))).toEqual({ data, bytes: text.length, isComplete: true });
      }),
      runs(1_000),
    );
  });

  test("is not complete before its last byte", () => {
    fc.assert(
      fc.property(writtenBody, fc.nat(), ({ text }, at) => {
        expect(read([text.slice(0, at % text.length)]).isComplete).toBe(false);
      }),
      runs(500),
    );
  });

  test("with one byte changed is rejected, or decoded the same way in any packets, and never beyond its end", () => {
    fc.assert(
      fc.property(writtenBody, fc.nat(), fc.nat(255), places, ({ text }, place, byte, at) => {
        const index = place % text.length;
        const changed = text.slice(0, index) + String.fromCharCode(byte) + text.slice(index + 1);
        expect(outcomeOf(cutText(changed, at))).toEqual(outcomeOf([changed]));
      }),
      runs(1_000),
    );
  });
});

describe("a body that another server could read differently is rejected", () => {
  const size = "a chunk has no size";
  const large = "a chunk is too large";
  const end = "a chunk or a line does not end in CR LF";
  const control = "a chunk extension or trailer has a control character";
  const dropped = "more than 16384 bytes of chunk extensions and trailers";
  const trailer = "a trailer is not a name, a colon and a value";
  const cases: [text: string, found: Read | string][] = [
    ["3\r\nabc\r\n0\r\n\r\nGET", { data: "abc", bytes: 13, isComplete: true }],
    ["3;x\r\nabc\r\n0\r\nA: b\r\n\r\n", { data: "abc", bytes: 21, isComplete: true }],
    ["3 \t\r\nabc\r\n0\r\n\r\n", { data: "abc", bytes: 15, isComplete: true }],
    ["3\nabc\n0\n\n", size],
    ["3\r\nabc\n0\r\n\r\n", end],
    ["3\r\nabc\n\n0\r\n\r\n", end],
    ["3\r\nabc\r0\r\n\r\n", end],
    ["3\r\nabcd\r\n0\r\n\r\n", end],
    ["4\r\nabc\r\n0\r\n\r\n", end],
    ["\r\n", size],
    ["x\r\n", size],
    ["0x3\r\nabc\r\n", size],
    ["+3\r\nabc\r\n", size],
    ["-3\r\nabc\r\n", size],
    [" 3\r\nabc\r\n", size],
    ["3,3\r\nabc\r\n", size],
    ["3 3\r\nabc\r\n", size],
    ["3\rabc\r\n", end],
    ["3;\0\r\nabc\r\n", control],
    ["3;\x7f\r\nabc\r\n", control],
    ["3;a\nb\r\nabc\r\n", control],
    ["3;a\rb\r\nabc\r\n", end],
    ["40000001\r\n", large],
    ["40000000\r\nabc", { data: "abc", bytes: 13, isComplete: false }],
    ["10000000000000003\r\nabc\r\n", large],
    [`${"0".repeat(12)}3\r\n`, large],
    [`3${" ".repeat(20_000)}`, dropped],
    [`3;${"a".repeat(20_000)}`, dropped],
    ["1;a=bcdef\r\nx\r\n".repeat(3_000), dropped],
    ["0\r\nGET / HTTP/1.1\r\n\r\n", trailer],
    ["0\r\n folded\r\n\r\n", trailer],
    ["0\r\n: b\r\n\r\n", trailer],
    ["0\r\nA\r\n\r\n", trailer],
    ["0\r\nA : b\r\n\r\n", trailer],
    ["0\r\nA: b\rc\r\n\r\n", end],
    ["0\r\nA: b\n\r\n", control],
    ["0\r\nA: b\r\n\n", trailer],
    ["0\r\n\rGET", end],
    [`0\r\n${"A".repeat(20_000)}`, dropped],
    [`0\r\nA: ${"b".repeat(20_000)}`, dropped],
    [`0\r\n${"A: b\r\n".repeat(5_000)}\r\n`, dropped],
  ];
  for (const [text, found] of cases) {
    test(`${JSON.stringify(text.slice(0, 40))}: ${typeof found === "string" ? found : "taken"}`, () =>
      expect(outcomeOf([text])).toEqual(found));
  }
});
