import { expect, test } from "bun:test";
import { SCOPES } from "../../../../src/access/access.ts";
import { SCOPE_WORDS } from "./scope-words.ts";

test("every scope of the platform can be chosen, once", () => {
  expect(SCOPE_WORDS.map(({ scope }) => scope).toSorted()).toEqual([...SCOPES].toSorted());
});
