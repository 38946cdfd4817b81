import { describe, expect, test } from "bun:test";
import { ABOUT_THE_ACCOUNT } from "../../../test/dialects/messages-answers.ts";
import { callOf } from "../../../test/dialects/messages-call.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { sentText } from "../../../test/support/upstreams/upstream-call.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import { anthropicDialect } from "./anthropic-dialect.ts";

const settings = remoteAt("a", "anthropic", { baseUrl: "https://api.anthropic.com/v1", allowPrivate: false }, []);
const credential = new Secret("sk-ant-canary");

function refusal(status: number, type: string, message: string): unknown {
  const headers = new Headers({ "retry-after": "7" });
  return anthropicDialect.refusal(status, headers, JSON.stringify({ type: "error", error: { type, message } }));
}

test("sends requests to /messages with the credential and the API version", () => {
  const { path, headers, body } = anthropicDialect.request({ ...callOf({ stream: true }), credential }, settings);
  expect(path).toBe("/messages");
  expect(headers).toEqual({
    accept: "text/event-stream",
    "user-agent": "tollgate",
    "anthropic-version": "2023-06-01",
    "x-api-key": "sk-ant-canary",
  });
  expect(JSON.parse(sentText({ body }))).toMatchObject({ model: "claude-sonnet-4-5", stream: true });
  expect(anthropicDialect.request(callOf({}), settings).headers).toMatchObject({ accept: "application/json" });
  expect(anthropicDialect.request(callOf({}), settings).headers).not.toHaveProperty("x-api-key");
});

test("at Vertex AI the model is in the path, and the version in the body", () => {
  const vertex = { ...settings, preset: "vertex-claude" } as const;
  const call = { ...callOf({ stream: true }), credential, upstreamModel: "claude-sonnet-4-5@20250929" };
  const { path, headers, body } = anthropicDialect.request(call, vertex);
  expect(path).toBe("/models/claude-sonnet-4-5@20250929:streamRawPredict");
  expect(headers).toEqual({ accept: "text/event-stream", "user-agent": "tollgate", authorization: "Bearer sk-ant-canary" });
  const sent = JSON.parse(sentText({ body })) as object;
  expect(sent).toMatchObject({ anthropic_version: "vertex-2023-10-16", stream: true });
  expect(sent).not.toHaveProperty("model");
  expect(anthropicDialect.request({ ...callOf({}), upstreamModel: "../x" }, vertex).path).toBe("/models/..%2Fx:rawPredict");
});

const sentToVertex = (body: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(sentText(anthropicDialect.request(callOf(body), { ...settings, preset: "vertex-claude" }))) as Record<string, unknown>;

describe("what Vertex AI does not take", () => {
  test("a cache breakpoint of the whole request becomes one of its last block", () => {
    const body = sentToVertex({ cache_control: { type: "ephemeral", ttl: "1h" } });
    expect(body).not.toHaveProperty("cache_control");
    expect(body["messages"]).toEqual([{ role: "user", content: [{ type: "text", text: "Hello!", cache_control: { type: "ephemeral" } }] }]);
  });

  test.each([
    [{ type: "image_url", image_url: { url: "https://a.example/b.png" } }, "messages[0].content[0].image_url.url"],
    [{ type: "image_url", image_url: "https://a.example/b.png" }, "messages[0].content[0].image_url"],
    [{ type: "file", file: { file_data: "https://a.example/b.pdf" } }, "messages[0].content[0].file.file_data"],
  ])("an address that it would have to fetch is refused: %j", (part, param) => {
    expect(() => sentToVertex({ messages: [{ role: "user", content: [part] }] })).toThrow(
      expect.objectContaining({ code: "invalid_value", param }) as Error,
    );
  });
});

test("a caller cannot choose the version of Vertex AI", () => {
  const { body } = anthropicDialect.request(callOf({ anthropic_version: "other" }), { ...settings, preset: "vertex-claude" });
  expect(JSON.parse(sentText({ body }))).toMatchObject({ anthropic_version: "vertex-2023-10-16" });
});

describe("error responses", () => {
  test.each([
    [400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum", { code: "context_length_exceeded" }],
    [400, "invalid_request_error", "messages: roles must alternate", { code: "invalid_value", message: "messages: roles must alternate" }],
    [401, "authentication_error", "invalid x-api-key", { code: "upstream_error", fault: { kind: "credential", retryAfterMs: 7000 } }],
    [402, "billing_error", "no credit", { code: "upstream_error", fault: { kind: "credential", retryAfterMs: 7000 } }],
    [404, "not_found_error", "model: claude-x", { code: "upstream_error", fault: { kind: "failed", isFinal: true } }],
    // A model that is not enabled at Vertex AI must not start a cooldown of the identity for other models.
    [
      400,
      "",
      "Project `p` is not allowed to use Publisher Model `m`",
      { code: "upstream_error", fault: { kind: "failed", isFinal: true } },
    ],
    [413, "request_too_large", "too large", { code: "request_too_large" }],
    [429, "rate_limit_error", "slow down", { code: "overloaded", fault: { kind: "busy", retryAfterMs: 7000 } }],
    [500, "api_error", "internal", { code: "upstream_error", fault: { kind: "failed", retryAfterMs: 7000 } }],
    [529, "overloaded_error", "Overloaded", { code: "overloaded", fault: { kind: "failed", retryAfterMs: 7000 } }],
  ])("%d %s: %s", (status, type, message, expected) => {
    expect(refusal(status, type, message)).toMatchObject(expected);
  });

  test.each(ABOUT_THE_ACCOUNT)("a 400 about the provider account becomes a 402: %s", (words) => {
    expect(refusal(400, "invalid_request_error", words)).toMatchObject({
      code: "upstream_error",
      status: 502,
      message: "The upstream failed to answer.",
      detail: expect.stringContaining(words),
      fault: { kind: "credential" },
    });
  });

  test("a 400 that quotes the caller's text about credit stays a 400", () => {
    const words = "tools.0.name: 'Your credit balance is too low' is not a name";
    expect(refusal(400, "invalid_request_error", words)).toMatchObject({ code: "invalid_value", message: words, fault: undefined });
  });
});

test("lists models from one page, with their limits", () => {
  expect(anthropicDialect.modelsRequest(settings, credential)).toMatchObject({
    path: "/models?limit=1000",
    headers: { "x-api-key": "sk-ant-canary", "anthropic-version": "2023-06-01" },
  });
  const listed = {
    data: [
      {
        type: "model",
        id: "claude-opus-5-5",
        display_name: "Claude Opus 5.5",
        created_at: "2026-09-22T00:00:00Z",
        max_input_tokens: 1_000_000,
        max_tokens: 128_000,
      },
      { type: "model", id: "claude-old", created_at: "long ago" },
      { type: "model" },
    ],
    has_more: false,
  };
  expect(anthropicDialect.modelsIn(JSON.stringify(listed))).toEqual([
    { id: "claude-opus-5-5", ownedBy: "anthropic", createdSeconds: 1_790_035_200, contextWindow: 1_000_000, maxOutputTokens: 128_000 },
    { id: "claude-old", ownedBy: "anthropic", createdSeconds: undefined, contextWindow: undefined, maxOutputTokens: undefined },
  ]);
  expect(() => anthropicDialect.modelsIn("[]")).toThrow("it does not answer like a model server");
});
