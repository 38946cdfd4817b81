import { expect, test } from "bun:test";
import { collapseSame } from "./diff-view.tsx";
import { diffLines } from "./line-diff.ts";

const marks = { same: " ", changed: "~", removed: "-", added: "+" } as const;
const shown = (left: string, right: string): string[] =>
  diffLines(left.split(""), right.split("")).map(
    (row) => marks[row.kind] + (row.left ?? "") + (row.kind === "same" ? "" : (row.right ?? "")),
  );

test.each([
  ["abc", "abc", [" a", " b", " c"]],
  ["abc", "axc", [" a", "~bx", " c"]],
  ["abc", "ac", [" a", "-b", " c"]],
  ["ac", "abc", [" a", "+b", " c"]],
  ["abcd", "bxd", ["-a", " b", "~cx", " d"]],
  ["aa", "aaa", [" a", " a", "+a"]],
] as const)("compares %j with %j", (left, right, rows) => {
  expect(shown(left, right)).toEqual([...rows]);
});

test("both texts can be read off the rows, also of long ones", () => {
  for (const length of [40, 3000]) {
    const left = Array.from({ length }, (_, at) => `${(at * 7) % 11}`);
    const right = Array.from({ length: length - 5 }, (_, at) => `${(at * 5) % 13}`);
    const rows = diffLines(left, right);
    expect(rows.flatMap((row) => row.left ?? [])).toEqual(left);
    expect(rows.flatMap((row) => row.right ?? [])).toEqual(right);
  }
});

test("keeps three unchanged lines around a change", () => {
  const rows = diffLines("abcdefghijkl".split(""), "abcdexghijkl".split(""));
  expect(collapseSame(rows).map((row) => (typeof row === "number" ? row : row.left))).toEqual([2, "c", "d", "e", "f", "g", "h", "i", 3]);
  expect(collapseSame(diffLines(["a"], ["a"]))).toEqual([1]);
});
