import { expect, test } from "bun:test";
import { SCOPES } from "../../../../src/access/access.ts";
import { SCOPE_LABELS } from "./scope-labels.ts";

test("offers every scope of the platform exactly once", () => {
  expect(SCOPE_LABELS.map(({ scope }) => scope).toSorted()).toEqual([...SCOPES].toSorted());
});
