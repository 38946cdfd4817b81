import { describe, expect, test } from "bun:test";
import { findViolation, formatPath, type Schema } from "../../src/lib/schema/schema.ts";
import { modelProperties } from "../../src/models/declared-model.ts";
import { fieldsIn, WITH_BODY } from "../support/body-fields.ts";

/** Each character alone, in text that is valid without it. */
const UNPRINTABLE = ["\0", "\t", "\r\n", "\u001B[2J", "\u007F", "\u0085", "\u009B", "\u2028", "\u2029", "\u202E", "\u2066", "\uD800"];

/** Fields that are looked up, parsed, hashed or searched, and that are never shown unchanged. */
const NEVER_SHOWN = new Set([
  "account",
  "accounts[0]",
  "azure.certificate",
  "csv",
  "current",
  "expires_at",
  "google.credentials",
  "key",
  "keys[0].account",
  "keys[0].created_at",
  "keys[0].expires_at",
  "new",
  "mirror.upstream",
  "password",
  "replacement",
  "routes[0].upstream",
  "token",
  "user",
  "zone",
]);

describe.each(WITH_BODY.map(({ method, path, body }): [string, Schema] => [`${method} ${path}`, body!]))("%s", (_, body) => {
  const texts = fieldsIn(body).filter(({ path, schema }) => schema.type === "string" && !schema.enum && !NEVER_SHOWN.has(formatPath(path)));

  test("rejects text with control characters", () => {
    for (const { path, schema } of texts) {
      const taken = UNPRINTABLE.filter((char) => !findViolation(schema, `a${char}b`));
      expect([formatPath(path), taken]).toEqual([formatPath(path), []]);
    }
  });
});

test("rejects control characters in the parameter names of a model policy", () => {
  const refused = findViolation(modelProperties.parameters, { "a\u001B[2Jb": "drop" });
  expect(refused).toEqual({ problem: "invalid", path: [], message: "has a name that is not text without control characters" });
});
