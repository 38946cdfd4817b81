import { expect, test } from "bun:test";
import { partOf } from "./breakdown.ts";

test("limits of a tag are those that were set, whatever the name of the tag", () => {
  expect([partOf({ perTag: { team: 1 } }, "tag:team"), partOf({ perTag: { team: 1 } }, "tag:constructor")]).toEqual([1, undefined]);
  expect(partOf({ perTag: { constructor: 2 } }, "tag:constructor")).toBe(2);
});
