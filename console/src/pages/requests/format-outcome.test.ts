import { expect, test } from "bun:test";
import { GATEWAY_CODES } from "../../../../src/requests/gateway-error.ts";
import type { LoggedRequest } from "../../platform/interface.ts";
import { CODES } from "./error-codes.ts";
import { explain } from "./format-outcome.ts";

const answered = {
  outcome: "complete",
  code: null,
  param: null,
  stream: false,
  status: 200,
  from_cache: false,
  attempts: 1,
} as unknown as LoggedRequest;

test("every code that a request can end with is explained", () => {
  expect([...CODES].toSorted()).toEqual(Object.keys(GATEWAY_CODES).toSorted());
  for (const code of CODES) {
    const { title, what, advice } = explain({ ...answered, outcome: "refused", code });
    expect([title, what, advice].every((words) => words !== undefined && words.length > 5)).toBe(true);
  }
});

test("an answer says how it came about", () => {
  expect(explain(answered).what).toBe("The answer is complete.");
  expect(explain({ ...answered, stream: true, attempts: 3 }).what).toBe("The answer was streamed to its end. It took 3 attempts.");
  expect(explain({ ...answered, from_cache: true, attempts: 0 }).what).toContain("No upstream was asked");
});

test("a refusal names the field that was at fault", () => {
  const refused = explain({ ...answered, outcome: "refused", status: 400, code: "invalid_value", param: "messages[2].role" });
  expect(refused.what).toEndWith("The field at fault is messages[2].role.");
});

test("a stream that broke off is told from an answer that never began", () => {
  const failed = { ...answered, outcome: "failed", code: "upstream_error", stream: true } as const;
  expect(explain(failed).what).toStartWith("The stream broke off after it had begun.");
  expect(explain({ ...failed, status: 502 }).what).not.toContain("broke off after");
});

test("a code from a newer gateway leaves nobody without words", () => {
  expect(explain({ ...answered, outcome: "failed", code: "something_new" }).title).toBe("It did not work");
  expect(explain({ ...answered, outcome: "failed", code: "constructor" }).title).toBe("It did not work");
});
