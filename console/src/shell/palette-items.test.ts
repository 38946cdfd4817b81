import { expect, test } from "bun:test";
import { matching, requestItem, type PaletteGroup } from "./palette-items.ts";

const groups: PaletteGroup[] = [
  { value: "Pages", items: ["Overview", "Requests"].map((label) => ({ id: label, label, go: { link: { to: "/" } } })) },
  { value: "Do", items: ["Make a key", "Sign out"].map((label) => ({ id: label, label, go: { link: { to: "/" } } })) },
];

test("every word that was typed counts, in any order and case", () => {
  expect(matching(groups, "KEY make").map(({ items }) => items.map(({ label }) => label))).toEqual([["Make a key"]]);
  expect(matching(groups, "requests key")).toEqual([]);
  expect(matching(groups, " ")).toEqual(groups);
});

test("only a whole id is a request", () => {
  expect(requestItem(" req_01a1e011-cee3-72cd-9461-5d51282592ed ")).toHaveLength(1);
  expect(requestItem("req_01a1e011")).toEqual([]);
});
