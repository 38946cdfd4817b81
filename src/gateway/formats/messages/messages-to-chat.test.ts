import { expect, test } from "bun:test";
import { translatedBody } from "../../../../test/support/translated-body.ts";
import { parseJson } from "../../../http/read-json.ts";
import { mediaBlocksIn } from "./messages-request.ts";
import { TranslatedRequest } from "../translation.ts";
import { MessagesTranslation } from "./messages-to-chat.ts";

type Json = Record<string, unknown>;

function translated(body: Json, keepsBreakpoints = false, text = JSON.stringify({ model: "m", max_tokens: 10, ...body })): Json {
  const source = parseJson(Buffer.from(text));
  return translatedBody(new TranslatedRequest(source, new MessagesTranslation(keepsBreakpoints, source.byteText)));
}

const MARK = { cache_control: { type: "ephemeral" } };

test("cache breakpoints are kept for dialects that know them, and only for those", () => {
  const body = {
    system: [{ type: "text", text: "Be kind.", ...MARK }],
    tools: [{ name: "run", input_schema: { type: "object" }, ...MARK }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi", ...MARK }] },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "run", input: {}, ...MARK }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok", ...MARK }] },
    ],
  };
  expect(JSON.stringify(translated(body))).not.toContain("cache_control");
  const kept = translated(body, true);
  expect(kept["tools"]).toMatchObject([MARK]);
  expect(kept["messages"]).toMatchObject([
    { role: "system", content: [{ type: "text", text: "Be kind.", ...MARK }] },
    { role: "user", content: [{ type: "text", text: "Hi", ...MARK }] },
    { role: "assistant", tool_calls: [{ id: "t" }], ...MARK },
    { role: "tool", content: "ok", ...MARK },
  ]);
});

test("Claude Code's attribution block is for Anthropic alone, and other system blocks stay apart", () => {
  const system = ["x-anthropic-billing-header: cc_version=1", "Be kind.", "Be brief."].map((text) => ({ type: "text", text }));
  const [message] = translated({ system, messages: [{ role: "user", content: "Hi" }] })["messages"] as Json[];
  expect(message).toEqual({
    role: "system",
    content: [
      { type: "text", text: "Be kind." },
      { type: "text", text: "Be brief." },
    ],
  });
});

test("numbers in the input of tools keep their digits", () => {
  const text =
    '{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"run","input":{"id":12345678901234567890}}]}]}';
  expect(JSON.stringify(translated({}, false, text))).toContain('{\\"id\\":12345678901234567890}');
});

test("tools come and go with system messages", () => {
  const definition = { name: "late", input_schema: { type: "object" } };
  const messages = [
    { role: "user", content: "Hi" },
    {
      role: "system",
      content: [
        { type: "tool_addition", tool: { type: "tool_definition", definition } },
        { type: "tool_removal", tool: { type: "tool_reference", name: "early" } },
      ],
    },
  ];
  const { tools } = translated({ tools: [{ name: "early" }, { name: "always" }], messages });
  expect((tools as { function: { name: string } }[]).map((tool) => tool.function.name)).toEqual(["always", "late"]);
});

test("system messages in mid-conversation stay in place", () => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "system", content: "Be brief." },
    { role: "user", content: "Go on." },
  ];
  expect(translated({ messages })["messages"]).toEqual(messages);
});

test("structured output, by its old and its new name", () => {
  const format = { type: "json_schema", schema: { type: "object" } };
  const messages = [{ role: "user", content: "Hi" }];
  const expected = { type: "json_schema", json_schema: { name: "response", schema: { type: "object" }, strict: true } };
  expect(translated({ messages, output_config: { format, effort: "max" } })).toMatchObject({
    response_format: expected,
    reasoning_effort: "xhigh",
  });
  expect(translated({ messages, output_format: format })).toMatchObject({ response_format: expected });
});

test("images in the result of a tool follow it", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
  const messages = [
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "Look:" }, image] }] },
  ];
  expect(translated({ messages })["messages"]).toEqual([
    { role: "tool", tool_call_id: "t", content: "Look:" },
    {
      role: "user",
      content: [
        { type: "text", text: "Returned by the tool call t:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ],
    },
  ]);
});

test.each<[string, Json, number]>([
  ["text, and what tools return as text", { type: "tool_result", content: [{ type: "text", text: "x" }] }, 0],
  ["an image", { type: "image", source: { type: "base64", data: "AAAA" } }, 1],
  ["an image in a result", { type: "tool_result", content: [{ type: "image", source: { type: "url", url: "https://a.example/b" } }] }, 1],
  ["a document of text", { type: "document", source: { type: "text", data: "x" } }, 0],
  [
    "a document of blocks with an image among them",
    { type: "document", source: { type: "content", content: [{ type: "image", source: {} }] } },
    1,
  ],
  [
    "a fetched PDF",
    { type: "web_fetch_tool_result", content: { type: "web_fetch_result", content: { type: "document", source: { type: "base64" } } } },
    1,
  ],
  ["a block of tomorrow", { type: "hologram" }, 1],
])("media to measure: %s", (_, block, count) => {
  expect(mediaBlocksIn({ messages: [{ role: "user", content: [block] }] })?.length ?? 0).toBe(count);
});
