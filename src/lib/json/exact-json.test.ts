import { expect, test } from "bun:test";
import { parseExact } from "./exact-json.ts";

test("preserves numbers with more digits than a double", () => {
  const text = '{"id":12345678901234567890,"list":[1,-2.5,0.1,1e400,9007199254740993],"text":"12345678901234567890"}';
  expect(JSON.stringify(parseExact(text))).toBe(text);
});

test("parses everything else like JSON.parse", () => {
  expect(parseExact('{"a":[1,1.0,true,null,"x"],"b":{}}')).toEqual({ a: [1, 1, true, null, "x"], b: {} });
  expect(() => parseExact("{")).toThrow(SyntaxError);
});
