import { expect, test } from "bun:test";
import { matching, requestItem, type PaletteGroup } from "./palette-items.ts";

const groups: PaletteGroup[] = [
  { value: "Pages", items: ["Overview", "Requests"].map((label) => ({ id: label, label, go: { link: { to: "/" } } })) },
  { value: "Actions", items: ["Create key", "Sign out"].map((label) => ({ id: label, label, go: { link: { to: "/" } } })) },
];

test("matches items that contain every typed word, in any order and case", () => {
  expect(matching(groups, "KEY create").map(({ items }) => items.map(({ label }) => label))).toEqual([["Create key"]]);
  expect(matching(groups, "requests key")).toEqual([]);
  expect(matching(groups, " ")).toEqual(groups);
});

test("offers a request only for a complete request ID", () => {
  expect(requestItem(" req_01a1e011-cee3-72cd-9461-5d51282592ed ")).toHaveLength(1);
  expect(requestItem("req_01a1e011")).toEqual([]);
});
