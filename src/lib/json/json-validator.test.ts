import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { JsonValidator } from "./json-validator.ts";
import { tryParse } from "./try-parse.ts";

function isComplete(text: string, pieceChars: number): boolean {
  const pieces = new JsonValidator();
  for (let at = 0; at < text.length; at += pieceChars) pieces.feed(text.slice(at, at + pieceChars));
  return pieces.isComplete;
}

const jsonText = fc
  .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

const EDITS = ["", ...Array.from('{}[]",:\\u0a1-+.eEtn \n\u0001x')];

/** JSON with a few characters inserted, removed or replaced. */
const nearlyJson = fc
  .tuple(jsonText, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 1 }), fc.constantFrom(...EDITS)), { maxLength: 3 }))
  .map(([text, edits]) =>
    edits.reduce((edited, [place, taken, put]) => {
      const at = place % (edited.length + 1);
      return edited.slice(0, at) + put + edited.slice(at + taken);
    }, text),
  );

test("text is complete exactly where JSON.parse accepts it, however it is split", () => {
  fc.assert(
    fc.property(nearlyJson, fc.integer({ min: 1, max: 5 }), (text, pieceChars) => {
      expect(isComplete(text, pieceChars)).toBe(tryParse(text) !== undefined);
    }),
    runs(750, 60_000),
  );
});

test("the start of an object is not complete, and neither is an empty text", () => {
  const text = '{"city":"Oslo","days":[1,-2.5e3,true,null],"note":"a\\u00e5\\n"}';
  for (let end = 0; end < text.length; end++) expect([end, isComplete(text.slice(0, end), 3)]).toEqual([end, false]);
  expect(isComplete(text, 3)).toBe(true);
});

test("does not store endless brackets", () => {
  expect(isComplete("[".repeat(900) + "]".repeat(900), 7)).toBe(true);
  expect(isComplete("[".repeat(100_000) + "]".repeat(100_000), 7)).toBe(false);
  expect(isComplete("1".repeat(100_000), 7)).toBe(false);
});
