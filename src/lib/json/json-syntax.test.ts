import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { describeSyntaxError, syntaxErrorOffset } from "./json-syntax.ts";
import { tryParse } from "./try-parse.ts";

describe("syntaxErrorOffset", () => {
  test("finds an error exactly where JSON.parse does", () => {
    const letters = fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "\\", " ", "\n", "a", "1", "-", ".", "e", "u", "0", "true", "null");
    const text = fc.oneof(
      fc.string({ unit: letters }),
      fc.json(),
      fc.tuple(fc.json(), fc.nat(), letters).map(([json, at, letter]) => spoil(json, at, letter)),
    );
    fc.assert(
      fc.property(text, (given) => expect(syntaxErrorOffset(given) === undefined).toBe(tryParse(given) !== undefined)),
      { numRuns: 20_000 },
    );
  });

  test("the text before the error can start valid JSON, and the text including it cannot", () => {
    expect(syntaxErrorOffset('{"a":1,}')).toBe(7);
    expect(syntaxErrorOffset('{"a" 1}')).toBe(5);
    expect(syntaxErrorOffset('["\\x"]')).toBe(2);
    expect(syntaxErrorOffset("[01]")).toBe(2);
    expect(syntaxErrorOffset('{"a":1')).toBe(6);
    expect(syntaxErrorOffset("{} x")).toBe(3);
  });
});

function spoil(json: string, at: number, letter: string): string {
  const place = at % (json.length + 1);
  return json.slice(0, place) + letter + json.slice(place + 1);
}

test("the message has line and column, or says that the text is truncated", () => {
  expect(describeSyntaxError('{\n  "a": nope\n}')).toBe('unexpected "n" at line 2, column 8');
  expect(describeSyntaxError('{"a": "b')).toBe("it ends too early");
});
