import { expect, test } from "bun:test";
import { unknownId } from "./fields.ts";

test.each([
  ["nope", 'There is no model with the id "nope".'],
  ["team/llama 3", 'There is no model with the id "team/llama 3".'],
  ["a".repeat(40), "There is no model with this id."],
  [`sk-proj-${"x1".repeat(30)}`, "There is no model with this id."],
  [`whsec_${"a+/Z".repeat(10)}xyz=`, "There is no model with this id."],
  ["an-id ".repeat(20), "There is no model with this id."],
  ["two\nlines", "There is no model with this id."],
])("an id that is not there is named, unless it may be a secret: %j", (id, words) => {
  expect(unknownId("unknown_model", "model", id).message).toBe(words);
});
