import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { EventReader, EventTooLarge, Utf8Pieces } from "./read-events.ts";
import { runs } from "../../../test/support/long.ts";

function readAll(bytes: Uint8Array, cuts: readonly number[] = []): string[] {
  const reader = new EventReader();
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const events = borders.slice(1).flatMap((end, at) => reader.feed(bytes.subarray(borders[at], end)));
  return [...events, ...reader.end()];
}

const read = (text: string): string[] => readAll(new TextEncoder().encode(text));

describe("EventReader", () => {
  test("returns the same events however the bytes are split, even within characters and line ends", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n]/g, ""));
    const events = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n"), fc.constantFrom("", ": comment\n", "event: x\n", "id: 1\n")));
    fc.assert(
      fc.property(events, fc.array(fc.nat(), { maxLength: 20 }), (list, cuts) => {
        const text = list.map(([data, end, noise]) => `${noise}data: ${data}${end}${end}`).join("");
        expect(readAll(new TextEncoder().encode(text), cuts)).toEqual(list.map(([data]) => data));
      }),
      { numRuns: 3000 },
    );
  });

  const cases: [string, string, string[]][] = [
    ["comments, names, ids and retry hints are dropped", ": hi\n\nevent: ping\nid: 7\nretry: 5\ndata: a\n\n", ["a"]],
    ["an event without data is none", "event: ping\n\n\n\n", []],
    ["the space behind the colon is optional", "data:a\n\ndata:  b\n\n", ["a", " b"]],
    ["several lines of data are one event", "data: a\ndata: b\n\n", ["a\nb"]],
    ["a lone CR ends a line", "data: a\r\rdata: b\r\r", ["a", "b"]],
    ["the last event needs no blank line", "data: a\n\ndata: b", ["a", "b"]],
  ];
  for (const [name, text, expected] of cases) test(name, () => expect(read(text)).toEqual(expected));

  test("rejects an endless event before it fills the memory", () => {
    const reader = new EventReader();
    const piece = new TextEncoder().encode("data: ".padEnd(1024 * 1024, "x"));
    expect(() => Array.from({ length: 8 }, () => reader.feed(piece))).toThrow(EventTooLarge);
    const lines = new TextEncoder().encode("data: x\n".repeat(100_000));
    const other = new EventReader();
    expect(() => Array.from({ length: 20 }, () => other.feed(lines))).toThrow(EventTooLarge);
  });
});

describe("utf8 pieces", () => {
  function textOf(pieces: readonly Uint8Array[]): string {
    const reader = new Utf8Pieces();
    return pieces.map((piece) => reader.take(piece)).join("") + reader.end();
  }

  function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
    const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
    return at.slice(1).map((end, index) => bytes.slice(at[index], end));
  }

  const cuts = fc.array(fc.nat(40), { maxLength: 6 });

  test("decodes valid and invalid bytes the same, however they are split", () => {
    const texts = fc.string({ unit: "binary", maxLength: 12 }).map((text) => new TextEncoder().encode(text));
    // Many of these are stray lead or continuation bytes.
    const wrong = fc.array(fc.oneof(fc.constantFrom(0x61, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xf0, 0x9f, 0xf5, 0xef, 0xbb), fc.nat(255)), {
      maxLength: 12,
    });
    const bytes = fc.oneof(
      texts,
      wrong.map((list) => Uint8Array.from(list)),
    );
    const alike = fc.property(bytes, cuts, (all, where) => {
      expect(textOf(split(all, where))).toBe(new TextDecoder().decode(all));
    });
    fc.assert(alike, runs(5000, 400_000));
  });

  test("drops a byte order mark at the start only, however it is split", () => {
    const all = new TextEncoder().encode("\ufeffa\ufeffb");
    const marked = fc.property(cuts, (where) => expect(textOf(split(all, where))).toBe("a\ufeffb"));
    fc.assert(marked, runs(500));
  });
});
