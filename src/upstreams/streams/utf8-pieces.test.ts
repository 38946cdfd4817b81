import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { Utf8Pieces } from "./utf8-pieces.ts";

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
