import { describe, expect, test } from "bun:test";
import { topLevelFields } from "../../lib/json/json-text.ts";
import { fromByteText, toByteText, type ByteText } from "../../lib/text/byte-text.ts";
import { PremiumDemand } from "../../requests/premium-demand.ts";
import type { RelayedCall, RelayedRequest } from "../upstream.ts";
import { BEDROCK, cloudError, cloudTerms, toCloudMessages, VERTEX, type ClaudeCloud } from "./cloud-messages.ts";

type Json = Record<string, unknown>;

const OPUS_45 = "us.anthropic.claude-opus-4-5-20251101-v1:0";
const OPUS_47 = "global.anthropic.claude-opus-4-7";
const SONNET_37 = "anthropic.claude-3-7-sonnet-20250219-v1:0";
const MESSAGES = [{ role: "user", content: "Hello!" }];

interface Sent {
  readonly body: Json;
  readonly betas: readonly string[];
  /** The names that the client reads. */
  readonly dropped: readonly string[];
}

function send(cloud: ClaudeCloud, upstreamModel: string, fields: Json, betas = "", premium?: PremiumDemand): Sent {
  const text = JSON.stringify({ model: "public", max_tokens: 100, messages: MESSAGES, ...fields });
  const byteText = toByteText(text);
  const formatHeaders = betas === "" ? {} : { "anthropic-beta": betas };
  const relayed = {
    byteText,
    fields: topLevelFields(byteText),
    outline: JSON.parse(text),
    outlineText: byteText,
    formatHeaders,
  } as unknown as RelayedRequest;
  const call = { relayed, upstreamModel, formatHeaders, premium, parameterMapping: { dropped: [], renamed: {} } } as unknown as RelayedCall;
  const sent = toCloudMessages(call, cloud, () => ({}), ["model"]);
  const body = JSON.parse(fromByteText(sent.body.join("") as ByteText)) as Json;
  return { body, betas: sent.betas, dropped: cloudTerms(relayed, upstreamModel, cloud).droppedParts };
}

/** What becomes of each beta, by cloud and model. */
const BETAS: readonly (readonly [beta: string, bedrock: readonly string[], vertex: readonly string[]])[] = [
  ["interleaved-thinking-2025-05-14", [OPUS_45, OPUS_47, SONNET_37], [OPUS_45, OPUS_47, SONNET_37]],
  ["context-management-2025-06-27", [OPUS_45, OPUS_47, SONNET_37], [OPUS_45, OPUS_47, SONNET_37]],
  ["context-1m-2025-08-07", [OPUS_45, OPUS_47, SONNET_37], [OPUS_45, OPUS_47, SONNET_37]],
  ["compact-2026-01-12", [OPUS_45, OPUS_47, SONNET_37], [OPUS_45, OPUS_47, SONNET_37]],
  ["computer-use-2025-11-24", [OPUS_45, OPUS_47, SONNET_37], [OPUS_45, OPUS_47, SONNET_37]],
  ["tool-search-tool-2025-10-19", [OPUS_45, OPUS_47, SONNET_37], [OPUS_45, OPUS_47, SONNET_37]],
  ["tool-examples-2025-10-29", [OPUS_45, OPUS_47, SONNET_37], []],
  ["fine-grained-tool-streaming-2025-05-14", [OPUS_45, OPUS_47, SONNET_37], []],
  ["effort-2025-11-24", [OPUS_45], [OPUS_45]],
  ["output-128k-2025-02-19", [SONNET_37], []],
  ["token-efficient-tools-2025-02-19", [SONNET_37], []],
  ["web-search-2025-03-05", [], [OPUS_45, OPUS_47, SONNET_37]],
  ["structured-outputs-2025-11-13", [], []],
  ["prompt-caching-scope-2026-01-05", [], []],
  ["advanced-tool-use-2025-11-20", [], []],
  ["claude-code-20250219", [], []],
  ["fast-mode-2026-02-01", [], []],
  ["files-api-2025-04-14", [], []],
  ["constructor", [], []],
];

test.each(BETAS)("the beta %s is sent to the models that accept it, and named for all others", (beta, bedrock, vertex) => {
  for (const [cloud, accepting] of [
    [BEDROCK, bedrock],
    [VERTEX, vertex],
  ] as const) {
    for (const model of [OPUS_45, OPUS_47, SONNET_37]) {
      const { betas, dropped } = send(cloud, model, {}, ` ${beta} ,, ${beta}`);
      expect([betas, dropped]).toEqual(accepting.includes(model) ? [[beta], []] : [[], [beta]]);
    }
  }
});

const tool = (more: Json): Json => ({ tools: [{ name: "a", input_schema: { type: "object" }, ...more }] });
const CLEARING = { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } };

/** Fields, and what becomes of them: the beta with which they are sent, or `undefined` if they are dropped by the name. */
const PAIRS: readonly (readonly [name: string, fields: Json, bedrock: string | undefined, vertex: string | undefined])[] = [
  ["context_management", CLEARING, "context-management-2025-06-27", "context-management-2025-06-27"],
  ["tools.defer_loading", tool({ defer_loading: true }), "tool-search-tool-2025-10-19", "tool-search-tool-2025-10-19"],
  ["tools.input_examples", tool({ input_examples: [{}] }), "tool-examples-2025-10-29", undefined],
];

test.each(PAIRS)("%s is sent with its beta, or neither is sent", (name, fields, bedrock, vertex) => {
  for (const [cloud, beta] of [
    [BEDROCK, bedrock],
    [VERTEX, vertex],
    [{ ...BEDROCK, betas: {} }, undefined],
  ] as const) {
    const { body, betas, dropped } = send(cloud, OPUS_47, fields);
    expect([betas, dropped]).toEqual(beta === undefined ? [[], [name]] : [[beta], []]);
    if (beta === undefined) expect(JSON.stringify(body)).not.toContain(name.split(".").at(-1)!);
    else expect(body).toMatchObject(fields);
  }
});

describe("fields of tools", () => {
  test("eager streaming is Bedrock's beta, and its field is never sent", () => {
    const { body, betas, dropped } = send(BEDROCK, OPUS_47, tool({ eager_input_streaming: true }));
    expect([body["tools"], betas, dropped]).toEqual([tool({})["tools"], ["fine-grained-tool-streaming-2025-05-14"], []]);
    expect(send(VERTEX, OPUS_47, tool({ eager_input_streaming: true }))).toMatchObject({
      body: tool({}),
      dropped: ["tools.eager_input_streaming"],
    });
  });

  test("strict needs a model with structured outputs", () => {
    expect(send(BEDROCK, OPUS_45, tool({ strict: true }))).toMatchObject({ body: tool({ strict: true }), dropped: [] });
    expect(send(BEDROCK, SONNET_37, tool({ strict: true })).dropped).toEqual(["tools.strict"]);
  });

  test("tools that run at the provider are sent with their betas, to the clouds that have them", () => {
    const search = { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }] };
    expect(send(VERTEX, OPUS_47, search)).toMatchObject({ body: search, betas: ["web-search-2025-03-05"], dropped: [] });
    expect(send({ ...VERTEX, betas: {} }, OPUS_47, search)).toMatchObject({ body: search, betas: [] });
    const finding = { tools: [{ type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" }] };
    expect(send(BEDROCK, OPUS_47, finding)).toMatchObject({ body: finding, betas: ["tool-search-tool-2025-10-19"], dropped: [] });
    expect(() => send(BEDROCK, OPUS_47, search)).toThrow(
      expect.objectContaining({
        message: "tools[0] is web_search, which does not run at the provider of this model.",
        param: "tools[0]",
      }) as Error,
    );
  });

  test("a tool that runs at the provider gets a limit of its calls, unless only a message defines it", () => {
    const demand = new PremiumDemand();
    demand.tool("web_search", {});
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    expect(send(VERTEX, OPUS_47, { tools }, "", demand).body["tools"]).toEqual([{ ...tools[0], max_uses: 5 }]);
    expect(send(VERTEX, OPUS_47, {}, "", demand).body).not.toHaveProperty("tools");
  });

  test("tools that Anthropic defines keep their own fields", () => {
    const tools = [{ type: "computer_20250124", name: "computer", display_width_px: 800, display_height_px: 600 }];
    expect(send(BEDROCK, OPUS_47, { tools })).toMatchObject({ body: { tools }, dropped: [] });
  });
});

test("management of the context is not sent if no edit is left", () => {
  const called = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: {} }] };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain" }] };
  const thinking = { type: "enabled", budget_tokens: 2000 };
  const begunElsewhere = { max_tokens: 4000, thinking, messages: [...MESSAGES, called, result] };
  for (const fields of [
    { ...begunElsewhere, context_management: { edits: [{ type: "clear_thinking_20251015" }] } },
    { context_management: { edits: [] } },
    { context_management: null },
  ]) {
    for (const cloud of [BEDROCK, VERTEX]) {
      const { body, betas, dropped } = send(cloud, OPUS_47, fields);
      expect(body).not.toHaveProperty("context_management");
      expect([betas, dropped]).toEqual([[], []]);
    }
  }
});

test("a tool that the client has found is sent with the beta of tool search", () => {
  const found = [{ type: "tool_result", tool_use_id: "t", content: [{ type: "tool_reference", tool_name: "a" }] }];
  const messages = [{ role: "user", content: found }];
  expect(send(VERTEX, OPUS_47, { messages })).toMatchObject({ body: { messages }, betas: ["tool-search-tool-2025-10-19"], dropped: [] });
});

test("the effort of Opus 4.5 is a beta, and later models have it without", () => {
  const fields = { output_config: { effort: "low" } };
  expect(send(BEDROCK, OPUS_45, fields)).toMatchObject({ body: fields, betas: ["effort-2025-11-24"], dropped: [] });
  expect(send(BEDROCK, OPUS_47, fields)).toMatchObject({ body: fields, betas: [], dropped: [] });
  const { body, dropped } = send(BEDROCK, SONNET_37, fields);
  expect([body["output_config"], dropped]).toEqual([undefined, ["output_config.effort"]]);
});

describe("cache breakpoints", () => {
  const marked = (breakpoint: unknown): Json => ({
    messages: [
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "x", cache_control: breakpoint }] }],
      },
    ],
  });
  const inner = ({ body }: Sent): unknown =>
    (body["messages"] as { content: { content: Json[] }[] }[])[0]!.content[0]!.content[0]!["cache_control"];

  test("have no scope at any depth, and are not null", () => {
    const sent = send(VERTEX, OPUS_47, marked({ type: "ephemeral", ttl: "5m", scope: "global" }));
    expect([inner(sent), sent.dropped]).toEqual([{ type: "ephemeral", ttl: "5m" }, ["cache_control.scope"]]);
    expect(inner(send(VERTEX, OPUS_47, marked(null)))).toBeUndefined();
    expect(send(VERTEX, OPUS_47, marked(null)).dropped).toEqual([]);
  });

  test("have no ttl on Bedrock before Claude 4.5", () => {
    const sent = send(BEDROCK, SONNET_37, marked({ type: "ephemeral", ttl: "5m" }));
    expect([inner(sent), sent.dropped]).toEqual([{ type: "ephemeral" }, ["cache_control.ttl"]]);
    expect(inner(send(BEDROCK, OPUS_45, marked({ type: "ephemeral", ttl: "5m" })))).toEqual({ type: "ephemeral", ttl: "5m" });
  });

  test("of the whole request move to the last block that can have one, and do not replace its own", () => {
    const breakpoint = { type: "ephemeral", scope: "global" };
    const thought = { role: "assistant", content: [{ type: "thinking", thinking: "…", signature: "s" }] };
    const before = { role: "user", content: [{ type: "text", text: "Hi" }] };
    const { body, dropped } = send(BEDROCK, OPUS_47, { cache_control: breakpoint, messages: [before, thought] });
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] },
      thought,
    ]);
    expect([body["cache_control"], dropped]).toEqual([undefined, ["cache_control.scope"]]);
    const own = [{ role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral", ttl: "5m" } }] }];
    expect(send(BEDROCK, OPUS_47, { cache_control: { type: "ephemeral" }, messages: own }).body["messages"]).toEqual(own);
    expect(send(BEDROCK, OPUS_47, { cache_control: { type: "ephemeral" }, messages: [thought] }).dropped).toEqual(["cache_control"]);
  });
});

test.each([
  [{ source: { type: "url", url: "https://example.com/a.png" } }, "messages[0].content[0].source"],
  [
    { source: { type: "content", content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }] } },
    "messages[0].content[0].source.content[0].source",
  ],
])("an address is refused with its place: %j", (block, param) => {
  const messages = [{ role: "user", content: [{ type: "document", ...block }] }];
  expect(() => send(BEDROCK, OPUS_47, { messages })).toThrow(expect.objectContaining({ param }) as Error);
});

test("a region is refused, because clouds do not know the field, and it must not be ignored", () => {
  for (const cloud of [BEDROCK, VERTEX]) {
    expect(() => send(cloud, OPUS_47, { inference_geo: "us" })).toThrow(expect.objectContaining({ param: "inference_geo" }) as Error);
    expect(() => send(cloud, OPUS_47, { inference_geo: "global" })).not.toThrow();
  }
});

test.each([
  [400, '{"message":"too bad"}', { status: 400, type: "invalid_request_error" }],
  [403, '{"Message":"too bad"}', { status: 400, type: "invalid_request_error" }],
  [429, '{"error":{"code":429,"message":"too bad"}}', { status: 429, type: "rate_limit_error" }],
  [413, '[{"error":{"code":413,"message":"too bad"}}]', { status: 413, type: "request_too_large" }],
])("an error with the status %i keeps its message: %s", (status, body, expected) => {
  const error = cloudError(status, body)!;
  expect(error.status).toBe(expected.status);
  expect(JSON.parse(error.body)).toEqual({ type: "error", error: { type: expected.type, message: "too bad" } });
});

test.each([
  [500, '{"message":"too bad"}'],
  [400, "<html>"],
  [400, '{"error":{}}'],
  [400, JSON.stringify({ message: "x".repeat(8_000) })],
])("an error with the status %i is not passed on: %.30s", (status, body) => {
  expect(cloudError(status, body)).toBeUndefined();
});
