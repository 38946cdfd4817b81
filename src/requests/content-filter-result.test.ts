import { expect, test } from "bun:test";
import { toContentFilterResult } from "./content-filter-result.ts";

test("keeps words and booleans of the findings, and nothing else", () => {
  const found = {
    violence: { filtered: true, severity: "medium" },
    jailbreak: { filtered: false, detected: true, severity: "Bearer eyJ.secret" },
    custom_blocklists: { filtered: true, details: [{ id: "names of the operator's customers" }] },
    "A name": { filtered: true },
    error: "content_filter_error",
  };
  expect(toContentFilterResult(found)).toEqual({
    violence: { filtered: true, severity: "medium" },
    jailbreak: { filtered: false, detected: true },
    custom_blocklists: { filtered: true },
  });
});

test("is undefined if there are none", () => {
  for (const value of [undefined, null, "x", [], {}, { x: 1 }]) expect(toContentFilterResult(value)).toBeUndefined();
});
