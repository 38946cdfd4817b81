import { expect, test } from "bun:test";
import { GATEWAY_CODES } from "../../../../src/requests/api-error.ts";
import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { CODES } from "./error-codes.ts";
import { describeOutcome } from "./format-outcome.ts";

const succeeded = {
  outcome: "complete",
  code: null,
  param: null,
  stream: false,
  status: 200,
  from_cache: false,
  attempts: 1,
} as unknown as LoggedRequest;

test("describes every error code", () => {
  expect([...CODES].toSorted()).toEqual(Object.keys(GATEWAY_CODES).toSorted());
  for (const code of CODES) {
    const { title, description, advice } = describeOutcome({ ...succeeded, outcome: "refused", code });
    expect([title, description, advice].every((text) => text !== undefined && text.length > 5)).toBe(true);
  }
});

test("describes how a response was served", () => {
  expect(describeOutcome(succeeded).description).toBe("The response was complete.");
  expect(describeOutcome({ ...succeeded, stream: true, attempts: 3 }).description).toBe(
    "The response was streamed completely. It took 3 attempts.",
  );
  expect(describeOutcome({ ...succeeded, from_cache: true, attempts: 0 }).description).toContain("No upstream was called");
});

test("names the invalid field of a rejected request", () => {
  const rejected = describeOutcome({ ...succeeded, outcome: "refused", status: 400, code: "invalid_value", param: "messages[2].role" });
  expect(rejected.description).toEndWith("Invalid field: messages[2].role.");
});

test("distinguishes an interrupted stream from a failed request", () => {
  const failed = { ...succeeded, outcome: "failed", code: "upstream_error", stream: true } as const;
  expect(describeOutcome(failed).description).toStartWith("The stream was interrupted after it had started.");
  expect(describeOutcome({ ...failed, status: 502 }).description).not.toContain("interrupted after");
});

test("falls back to a generic description for an unknown code", () => {
  expect(describeOutcome({ ...succeeded, outcome: "failed", code: "something_new" }).title).toBe("Request failed");
  expect(describeOutcome({ ...succeeded, outcome: "failed", code: "constructor" }).title).toBe("Request failed");
});
