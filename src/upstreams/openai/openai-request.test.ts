import { expect, test } from "bun:test";
import { callOf, chatOf } from "../../../test/upstream-call.ts";
import { toUpstream } from "../../vocabulary/declared-upstream.ts";
import type { RemoteSettings } from "../../vocabulary/upstream-settings.ts";
import { toOpenAIRequest } from "./openai-request.ts";

function sent(body: Record<string, unknown>, maxTokens: number | undefined, baseUrl = "https://example.com/v1"): Record<string, unknown> {
  const settings = toUpstream({ id: "u", dialect: "openai", base_url: baseUrl }, (path, message) => {
    throw new Error(`${path.join(".")} ${message}`);
  }) as RemoteSettings;
  return JSON.parse(toOpenAIRequest(callOf(chatOf(body), { upstreamModel: "theirs", maxTokens }), settings)) as Record<string, unknown>;
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
