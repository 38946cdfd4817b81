import { describe, expect, test } from "bun:test";
import { bodyOf, draftOf, EMPTY_DRAFT, isInvalid } from "./draft.ts";
import { turn } from "./conversation.ts";
import { EXAMPLE_TOOLS } from "./json-field.ts";
import { NO_PARAMETERS } from "./settings/parameters.ts";
import { NO_FORMAT } from "./settings/response-format.ts";

const IMAGE = "data:image/png;base64,iVBORw0KGgo=";
const user = (text: string) => turn({ role: "user", text, images: [] });

describe("the request body", () => {
  test("leaves out unset fields", () => {
    const draft = { ...EMPTY_DRAFT, turns: [user("Hello")], isStreamed: false };
    expect(bodyOf("m", draft)).toEqual({ model: "m", messages: [{ role: "user", content: "Hello" }] });
  });

  test("converts parameters to their types", () => {
    const parameters = {
      temperature: " 0.5",
      topP: ".9",
      maxTokens: "100",
      seed: "-7",
      stop: "END\n\n###",
      reasoningEffort: "low",
    };
    expect(
      bodyOf("m", { ...EMPTY_DRAFT, parameters, format: { ...NO_FORMAT, type: "json_object" }, more: '{"user": "u1"}' }),
    ).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 100,
      seed: -7,
      stop: ["END", "###"],
      response_format: { type: "json_object" },
      reasoning_effort: "low",
      stream: true,
      stream_options: { include_usage: true },
      user: "u1",
    });
  });

  test("puts images after the text, and links tool results to their calls", () => {
    const calls = [{ id: "c1", name: "get_weather", arguments: '{"city":"Oslo"}' }];
    const turns = [
      turn({ role: "user", text: "See", images: [{ name: "p", url: IMAGE, bytes: 8 }] }),
      turn({ role: "assistant", text: "", toolCalls: calls }),
      turn({ role: "tool", callId: "c1", text: "Rain" }),
    ];
    expect(bodyOf("m", { ...EMPTY_DRAFT, system: "Be kind.", turns })["messages"]).toEqual([
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "image_url", image_url: { url: IMAGE } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "Rain" },
    ]);
  });
});

describe("a draft is invalid", () => {
  const cases: [string, Partial<typeof EMPTY_DRAFT>][] = [
    ["with text for a number", { parameters: { ...NO_PARAMETERS, temperature: "hot" } }],
    ["with a fraction of a token", { parameters: { ...NO_PARAMETERS, maxTokens: "1.5" } }],
    ["with tools that are not JSON", { tools: "[{]" }],
    ["with tools that are not an array", { tools: "{}" }],
    ["with a tool without a name", { tools: '[{"type":"function","function":{}}]' }],
    ["without a schema for its format", { format: { ...NO_FORMAT, type: "json_schema" } }],
    ["with a schema that is not an object", { format: { ...NO_FORMAT, type: "json_schema", schema: "[]" } }],
    ["with a schema name that providers reject", { format: { type: "json_schema", name: "my schema", schema: "{}", isStrict: true } }],
    ["with additional fields that are not an object", { more: "[]" }],
    ["with the model among the additional fields", { more: '{"model":"other"}' }],
  ];
  for (const [name, change] of cases) test(name, () => expect(isInvalid({ ...EMPTY_DRAFT, ...change })).toBe(true));

  test("accepts the empty draft and the example tools", () => {
    expect(isInvalid({ ...EMPTY_DRAFT, tools: EXAMPLE_TOOLS, more: "{}" })).toBe(false);
  });
});

describe("a logged request", () => {
  const bodies: [string, Record<string, unknown>][] = [
    ["plain", { messages: [{ role: "user", content: "Hi" }] }],
    [
      "with every parameter",
      {
        messages: [
          { role: "system", content: "S" },
          { role: "user", content: "Hi" },
        ],
        temperature: 0,
        stop: ["a", "b"],
        response_format: { type: "json_object" },
        stream: true,
        stream_options: { include_usage: true },
      },
    ],
    [
      "with fields that have no form field",
      {
        messages: [
          { role: "developer", content: "D" },
          { role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] },
          { role: "user", name: "ada", content: "Hi" },
          { role: "assistant", content: "Yes", refusal: null },
          { role: "user", content: [{ type: "image_url", image_url: { url: IMAGE, detail: "low" } }] },
        ],
        response_format: { type: "json_schema", json_schema: { name: "x", schema: {} } },
        stop: "END",
        temperature: null,
        max_completion_tokens: 5,
      },
    ],
    [
      "with tools",
      {
        messages: [
          { role: "user", content: "Weather?" },
          { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] },
          { role: "tool", tool_call_id: "c", content: "Sun" },
        ],
        tools: JSON.parse(EXAMPLE_TOOLS) as unknown,
        tool_choice: "auto",
      },
    ],
  ];
  test("fills the form of the schema where it can", () => {
    const declared = { name: "x", strict: true, schema: { type: "object" } };
    const body = { messages: [], response_format: { type: "json_schema", json_schema: declared } };
    const { format, more } = draftOf(body);
    expect(format).toEqual({ type: "json_schema", name: "x", schema: '{\n  "type": "object"\n}', isStrict: true });
    expect(more).toBe("");
    const described = { ...body.response_format, json_schema: { ...declared, description: "x" } };
    expect(draftOf({ ...body, response_format: described })).toMatchObject({ format: NO_FORMAT });
    expect(bodyOf("m", draftOf({ ...body, response_format: described }))["response_format"]).toEqual(described);
  });

  for (const [name, body] of bodies) {
    test(`round-trips through a draft: ${name}`, () =>
      expect(bodyOf("m", draftOf({ model: "m", ...body }))).toEqual({ model: "m", ...body }));
  }

  test("keeps images and their size", () => {
    const content = [
      { type: "text", text: "See" },
      { type: "image_url", image_url: { url: IMAGE } },
    ];
    const { turns } = draftOf({ messages: [{ role: "user", content }] });
    expect(turns).toMatchObject([{ role: "user", text: "See", images: [{ url: IMAGE, bytes: 8 }] }]);
  });
});
