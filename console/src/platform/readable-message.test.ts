import { expect, test } from "bun:test";
import { messageAt, readableMessage } from "./readable-message.ts";

test.each([
  ["routes[0].model", "routes[0].model must be a string.", "Routes 1, model must be a string."],
  [
    "limits.per_user.requests_per_minute",
    "limits.per_user.requests_per_minute is required.",
    "Limits, per user, requests per minute is required.",
  ],
  ["models.gpt-4.1.price", "models.gpt-4.1.price cannot be combined with `free`.", "Models, gpt-4.1, price cannot be combined with free."],
  ["base_url", "base_url must be a URL.", "Base URL must be a URL."],
  ["credential", "credential is required with another base_url.", "Credential is required with another base URL."],
  ["url", "url must be https://, or set allow_private: true.", "URL must be https://, or set “Allow private network addresses”."],
  ["id", "The upstream base_url already exists.", "The upstream base_url already exists."],
  [null, "This is the last operator.", "This is the last operator."],
])("the message about %s names the field in words", (param, detail, text) => {
  expect(readableMessage({ param, detail })).toBe(text);
});

test("at its label, a message does not name the field, only the part of a list or an object", () => {
  expect(messageAt({ param: "base_url", detail: "base_url must be a URL." }, "base_url")).toBe("Must be a URL.");
  expect(messageAt({ param: "id", detail: "The account acme already exists." }, "id")).toBe("The account acme already exists.");
  const part = { param: "percents[1].effective", detail: "percents[1].effective is not a day of the calendar." };
  expect(messageAt(part, "percents")).toBe("Entry 2, effective is not a day of the calendar.");
  expect(messageAt(part, "percent")).toBeUndefined();
  expect(messageAt({ param: null, detail: "This is the last operator." }, "id")).toBeUndefined();
});
