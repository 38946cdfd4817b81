import { expect, test } from "bun:test";
import { cpuMsOf } from "../../../test/support/cpu-time.ts";
import { harmlessCell, toCsvLine } from "./request-export.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["＝1+1", "'＝1+1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠SUM(A1)", "'＠SUM(A1)"],
  ["\t=1", "'\t'=1"],
  ["\r=1", "'\r'=1"],
  ["\nplain", "'\nplain"],
  [" =1+1", "' =1+1"],
  ["\u00A0\u3000\uFEFF=1", "'\u00A0\u3000\uFEFF=1"],
  [" \t=1", " \t'=1"],
  ["a;=1", "a;'=1"],
  ["a; ＝1", "a;' ＝1"],
  ["a=1", "a=1"],
  ["a - b", "a - b"],
  ["gpt-4o", "gpt-4o"],
  ["", ""],
])("%j becomes %j", (text, cell) => expect(harmlessCell(text)).toBe(cell));

test("cells are quoted by RFC 4180", () => {
  expect(toCsvLine(["a", 'say "hi"', "x;y", "two\nlines"])).toBe('a,"say ""hi""","x;y","two\nlines"\r\n');
});

test("a long run of white space does not take quadratic time", () => {
  const cells = [" ", "\n", "; "].map((each) => each.repeat(200_000));
  expect(cpuMsOf(() => cells.forEach(harmlessCell))).toBeLessThan(2000);
});
