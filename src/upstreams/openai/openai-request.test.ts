import { expect, test } from "bun:test";
import type { ChatRequest } from "../../vocabulary/chat-request.ts";
import { topLevelFields, type JsonField } from "../../vocabulary/json-text.ts";
import { toOpenAIRequest } from "./openai-request.ts";

function sent(body: Record<string, unknown>, maxTokens: number | undefined, baseUrl = "https://example.com/v1"): Record<string, unknown> {
  const text = JSON.stringify(body);
  const fields = topLevelFields(text) as JsonField[];
  const chat: ChatRequest = { model: "m", messages: [], stream: false, includeUsage: false, text, fields, body };
  const call = { chat, upstreamModel: "theirs", maxTokens, signal: new AbortController().signal };
  return JSON.parse(toOpenAIRequest(call, baseUrl)) as Record<string, unknown>;
}

test("our limit on the answer takes the place of every one of the caller's", () => {
  expect(sent({ model: "m", max_tokens: 9 }, 5)).toEqual({ model: "theirs", max_tokens: 5 });
  expect(sent({ model: "m", max_completion_tokens: 9 }, 5)).toEqual({ model: "theirs", max_completion_tokens: 5 });
  // Which of the two an upstream goes by is its own affair.
  expect(sent({ max_completion_tokens: 1, model: "m", max_tokens: 9 }, 5)).toEqual({
    max_completion_tokens: 5,
    model: "theirs",
    max_tokens: 5,
  });
});

test("where the caller has none, it is called as the upstream calls it", () => {
  expect(sent({ model: "m" }, 5)).toMatchObject({ max_tokens: 5 });
  expect(sent({ model: "m", max_tokens: null }, 5, "https://api.openai.com/v1")).toMatchObject({
    max_completion_tokens: 5,
    max_tokens: null,
  });
  expect(sent({ model: "m" }, undefined)).toEqual({ model: "theirs" });
});
