import { expect, test } from "bun:test";
import { sha256Of } from "./api-key.ts";
import { findGuessable } from "./guessable-keys.ts";

test("common keys are found by their hashes, and random ones are not", () => {
  const common = ["sk-1234", "1234", "sk-00042", "sk-12345", "sk-test", "sk-litellm-master-key", "sk-PASSWORD", "changeme", "sk-admin1"];
  const random = ["sk-Qm3xTz81vLw0rYbN", "sk-123456789012", "sk-7c1e0f6a"];
  expect(findGuessable([...common, ...random].map(sha256Of))).toEqual(new Set(common.map(sha256Of)));
});
