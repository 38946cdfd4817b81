import { expect, test } from "bun:test";
import { variantOf } from "./name-variants.ts";

const KNOWN = { model: 1, max_tokens: 1, stop: 1, "a.b": 1, straße: 1 };

test.each([
  ["MODEL", "model"],
  ["Max_Tokens", "max_tokens"],
  ["max_to\u212aens", "max_tokens"],
  ["max_token\u017f", "max_tokens"],
  ["\u017fTOP", "stop"],
  ["A.B", "a.b"],
  ["STRA\u1E9EE", "straße"],
])("%s is a variant of %s", (name, known) => {
  expect(variantOf(name, KNOWN)).toBe(known);
});

test.each(["model", "modell", "max_tokens ", "maxtokens", "axb", "mode\u0131", "STRASSE", "constructor", "__proto__", ""])(
  "%p is not a variant",
  (name) => {
    expect(variantOf(name, KNOWN)).toBeUndefined();
  },
);

test("without known names nothing is a variant", () => {
  expect(["", "a"].map((name) => variantOf(name, {}))).toEqual([undefined, undefined]);
});
