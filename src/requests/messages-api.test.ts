import { expect, test } from "bun:test";
import { ApiError, type ErrorCode } from "./api-error.ts";
import { messagesStatusOf, toMessagesError } from "./messages-api.ts";

test.each<[ErrorCode, number, string]>([
  ["invalid_value", 400, "invalid_request_error"],
  ["invalid_api_key", 401, "authentication_error"],
  ["insufficient_credits", 402, "billing_error"],
  ["budget_exceeded", 402, "billing_error"],
  ["credits_in_flight", 429, "rate_limit_error"],
  ["model_not_allowed", 404, "not_found_error"],
  ["model_retired", 404, "not_found_error"],
  ["request_too_large", 413, "request_too_large"],
  ["rate_limit_exceeded", 429, "rate_limit_error"],
  ["internal_error", 500, "api_error"],
  ["upstream_error", 502, "api_error"],
  ["overloaded", 529, "overloaded_error"],
  ["no_upstream_available", 529, "overloaded_error"],
  ["upstream_timeout", 504, "timeout_error"],
])("%s is %d %s", (code, status, type) => {
  const error = new ApiError(code, "No.");
  expect([messagesStatusOf(error), toMessagesError(error)]).toEqual([status, { type: "error", error: { type, message: "No." } }]);
});
