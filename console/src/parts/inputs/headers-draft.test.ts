import { expect, test } from "bun:test";
import { editedHeaders, emptyHeader, headersDraftOf } from "./headers-draft.ts";

test("sends entered values, and null for removed headers, and keeps the others as they are", () => {
  const stored = ["x-queue", "x-team"];
  const [queue, team] = headersDraftOf(stored);
  expect(editedHeaders([queue!, team!], stored)).toEqual({});
  expect(editedHeaders([queue!, team!, emptyHeader()], stored)).toEqual({});
  expect(editedHeaders([team!], stored)).toEqual({ headers: { "x-queue": null } });
  expect(
    editedHeaders(
      [
        { ...queue!, value: "a" },
        { ...emptyHeader(), name: " x-new ", value: "b" },
      ],
      stored,
    ),
  ).toEqual({
    headers: { "x-team": null, "x-queue": "a", "x-new": "b" },
  });
  // The server reports that the header needs a value.
  expect(editedHeaders([{ ...emptyHeader(), name: "x-new" }], [])).toEqual({ headers: { "x-new": "" } });
});
