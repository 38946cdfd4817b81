import { expect, test } from "bun:test";
import { readRequest } from "../chat/read-chat.ts";
import { formatJson, toJson } from "./format-json.ts";

test("indents JSON, but no number beyond JavaScript's precision and no other text", () => {
  expect(formatJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  for (const text of ['{"seed":12345678901234567890}', '{"a":', "plain"]) expect(formatJson(text)).toBe(text);
});

test("does not indent deeply nested JSON, whose indentation would fill the memory", () => {
  const deep = "[".repeat(2_000) + "]".repeat(2_000);
  expect(formatJson(deep)).toBe(deep);
  const body = `{"messages":[{"role":"user","content":[{"type":"x","y":${deep}}]}]}`;
  expect(readRequest(body)!.messages[0]!.parts[0]!.kind).toBe("other");
  expect(toJson(JSON.parse(deep)).length).toBeLessThanOrEqual(deep.length);
});
