import { describe, expect, test } from "bun:test";
import { translatedBody } from "../../../../test/support/translated-body.ts";
import { parseJson } from "../../../http/read-json.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { TranslatedRequest } from "../translation.ts";
import { ResponseTools } from "./response-tools.ts";
import { ResponsesTranslation, untranslatedIn } from "./responses-to-chat.ts";

type Json = Readonly<Record<string, unknown>>;

function translate(body: Json, keepsBreakpoints = false): Json {
  const source = parseJson(Buffer.from(JSON.stringify({ model: "m", input: "Hi", ...body })));
  return translatedBody(new TranslatedRequest(source, new ResponsesTranslation(new ResponseTools(), keepsBreakpoints, source.byteText)));
}

function messagesFor(...input: readonly Json[]): unknown {
  return translate({ input })["messages"];
}

function errorFor(body: Json): unknown {
  try {
    return translate(body);
  } catch (error) {
    return error instanceof ApiError ? [error.code, error.param] : error;
  }
}

const callOf = (id: string, name = "run"): Json => ({ type: "function_call", call_id: id, name, arguments: "{}" });
const resultOf = (id: string, output: unknown = "done"): Json => ({ type: "function_call_output", call_id: id, output });
const toolCall = (id: string, name = "run", args = "{}"): Json => ({ id, type: "function", function: { name, arguments: args } });

describe("input", () => {
  test("a text is a message of the user, after the instructions", () => {
    expect(translate({ input: "Hi", instructions: "Be kind." })["messages"]).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hi" },
    ]);
  });

  test("messages need neither a type nor an ID, and their content may be a text or parts", () => {
    const image = "data:image/png;base64,AAAA";
    expect(
      messagesFor(
        { role: "developer", content: "Rules." },
        {
          type: "message",
          id: "msg_1",
          role: "user",
          content: [
            { type: "input_text", text: "Look:" },
            { type: "input_image", image_url: image },
          ],
        },
        { role: "assistant", content: [{ type: "output_text", text: "A cat.", annotations: [] }] },
        { role: "user", content: [{ type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" }] },
      ),
    ).toEqual([
      { role: "system", content: "Rules." },
      {
        role: "user",
        content: [
          { type: "text", text: "Look:" },
          { type: "image_url", image_url: { url: image } },
        ],
      },
      { role: "assistant", content: "A cat." },
      { role: "user", content: [{ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } }] },
    ]);
  });

  test("parallel calls are one turn, and their results follow in the order of the calls", () => {
    const said = { role: "assistant", content: "I look." };
    expect(
      messagesFor(said, callOf("a"), callOf("b"), resultOf("b", "B"), resultOf("a", "A"), { role: "user", content: "Go on." }),
    ).toEqual([
      { role: "assistant", content: "I look.", tool_calls: [toolCall("a"), toolCall("b")] },
      { role: "tool", tool_call_id: "a", content: "A" },
      { role: "tool", tool_call_id: "b", content: "B" },
      { role: "user", content: "Go on." },
    ]);
  });

  test("calls one after the other are turns of their own", () => {
    expect(messagesFor(callOf("a"), resultOf("a"), callOf("b"), resultOf("b"))).toEqual([
      { role: "assistant", content: null, tool_calls: [toolCall("a")] },
      { role: "tool", tool_call_id: "a", content: "done" },
      { role: "assistant", content: null, tool_calls: [toolCall("b")] },
      { role: "tool", tool_call_id: "b", content: "done" },
    ]);
  });

  test("a call without a result gets one, and a repeated call or result is sent once", () => {
    expect(messagesFor(callOf("a"), callOf("a"), { role: "user", content: "Stop." })).toEqual([
      { role: "assistant", content: null, tool_calls: [toolCall("a")] },
      { role: "tool", tool_call_id: "a", content: "The tool call was not completed." },
      { role: "user", content: "Stop." },
    ]);
    expect(messagesFor(callOf("a"), resultOf("a", "first"), resultOf("a", "second"))).toContainEqual({
      role: "tool",
      tool_call_id: "a",
      content: "second",
    });
  });

  test("a result without a call is rejected by name", () => {
    expect(errorFor({ input: [resultOf("a")] })).toEqual(["invalid_value", "input[0].call_id"]);
  });

  test("images in a result follow as a message of the user", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "high" };
    expect(messagesFor(callOf("a"), resultOf("a", [{ type: "input_text", text: "Shot:" }, image]))).toEqual([
      { role: "assistant", content: null, tool_calls: [toolCall("a")] },
      { role: "tool", tool_call_id: "a", content: "Shot:" },
      {
        role: "user",
        content: [
          { type: "text", text: "Returned by the tool call a:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } },
        ],
      },
    ]);
  });

  test("reasoning of another provider is dropped, and so are calls of its own tools", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
    expect(messagesFor({ role: "user", content: "Hi" }, reasoning, { type: "web_search_call", id: "ws_1", status: "completed" })).toEqual([
      { role: "user", content: "Hi" },
    ]);
  });

  test("messages between agents keep who wrote to whom", () => {
    const item = { type: "agent_message", author: "/root", recipient: "/root/a", content: [{ type: "input_text", text: "Go." }] };
    expect(messagesFor(item)).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Message from /root to /root/a:" },
          { type: "text", text: "Go." },
        ],
      },
    ]);
  });

  test("items and parts that chat completions cannot express are rejected by name", () => {
    expect(errorFor({ input: [{ type: "compaction", encrypted_content: "x" }] })).toEqual(["unsupported_parameter", "input[0]"]);
    expect(errorFor({ input: [{ role: "user", content: [{ type: "input_hologram" }] }] })).toEqual([
      "unsupported_parameter",
      "input[0].content[0]",
    ]);
    expect(errorFor({ input: [{ type: "function_call", name: "run", arguments: "{}" }] })).toEqual([
      "missing_required_parameter",
      "input[0].call_id",
    ]);
  });

  test("breakpoints are kept for dialects that know them", () => {
    const part = { type: "input_text", text: "Long.", prompt_cache_breakpoint: { mode: "explicit" } };
    expect(translate({ input: [{ role: "user", content: [part] }] }, true)["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "Long.", cache_control: { type: "ephemeral" } }] },
    ]);
    expect(translate({ input: [{ role: "user", content: [part] }] })["messages"]).toEqual([{ role: "user", content: "Long." }]);
  });
});

describe("tools", () => {
  const functionTool = { type: "function", name: "run", description: "Runs.", parameters: { type: "object" }, strict: false };

  test("flat functions become nested ones, and `strict` is sent only if it is on", () => {
    expect(translate({ tools: [functionTool], tool_choice: { type: "function", name: "run" }, parallel_tool_calls: false })).toMatchObject({
      tools: [{ type: "function", function: { name: "run", description: "Runs.", parameters: { type: "object" } } }],
      tool_choice: { type: "function", function: { name: "run" } },
      parallel_tool_calls: false,
    });
    expect(translate({ tools: [{ ...functionTool, strict: true }] })["tools"]).toMatchObject([{ function: { strict: true } }]);
  });

  test("namespaces are part of the name, and long or equal names get a hash", () => {
    const namespace = (name: string): Json => ({ type: "namespace", name, description: "", tools: [functionTool] });
    const { tools } = translate({ tools: [namespace("a"), namespace("b".repeat(70)), { ...functionTool, name: "a__run" }] });
    const names = (tools as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(names[0]).toBe("a__run");
    expect(names[1]).toMatch(/^b{40,}_\w+$/);
    expect(names[2]).toMatch(/^a__run_\w+$/);
    expect(names.every((name) => /^[\w-]{1,64}$/.test(name))).toBeTrue();
  });

  test("tools that items have loaded are offered, too, and a tool is offered once", () => {
    const input = [
      { type: "additional_tools", role: "developer", tools: [{ ...functionTool, name: "more" }, functionTool] },
      { type: "tool_search_call", call_id: "s", execution: "client", arguments: { query: "x" } },
      { type: "tool_search_output", call_id: "s", tools: [{ ...functionTool, name: "found" }] },
      { role: "user", content: "Hi" },
    ];
    const { tools, messages } = translate({ input, tools: [functionTool] });
    expect((tools as { function: { name: string } }[]).map((tool) => tool.function.name)).toEqual(["run", "more", "found"]);
    expect(messages).toEqual([
      { role: "assistant", content: null, tool_calls: [toolCall("s", "tool_search", '{"query":"x"}')] },
      { role: "tool", tool_call_id: "s", content: "These tools are available now: found." },
      { role: "user", content: "Hi" },
    ]);
  });

  test("custom calls in the conversation have their input as an argument", () => {
    const input = [
      { type: "custom_tool_call", call_id: "c", name: "apply_patch", input: "*** Begin" },
      { type: "custom_tool_call_output", call_id: "c", output: "ok" },
    ];
    expect(messagesFor(...input)).toEqual([
      { role: "assistant", content: null, tool_calls: [toolCall("c", "apply_patch", '{"input":"*** Begin"}')] },
      { role: "tool", tool_call_id: "c", content: "ok" },
    ]);
  });

  test("only the allowed tools are offered", () => {
    const tools = [functionTool, { ...functionTool, name: "other" }];
    const choice = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "other" }] };
    expect(translate({ tools, tool_choice: choice })).toMatchObject({ tools: [{ function: { name: "other" } }], tool_choice: "required" });
  });

  test("web search is not offered, and without tools there is no choice", () => {
    const body = translate({ tools: [{ type: "web_search" }], tool_choice: "auto", parallel_tool_calls: false });
    expect(Object.keys(body)).toEqual(["model", "messages"]);
  });

  test("tools and choices without a counterpart are rejected by name", () => {
    expect(errorFor({ tools: [functionTool, { type: "apply_patch" }] })).toEqual(["unsupported_parameter", "tools[1]"]);
    expect(errorFor({ tools: [functionTool], tool_choice: { type: "shell" } })).toEqual(["unsupported_parameter", "tool_choice"]);
  });
});

test("settings have their names of chat completions", () => {
  const format = { type: "json_schema", name: "answer", schema: { type: "object" }, strict: true };
  const body = {
    max_output_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    prompt_cache_key: "k",
    reasoning: { effort: "high", summary: "auto" },
    text: { format, verbosity: "low" },
    stream: true,
  };
  expect(translate(body)).toMatchObject({
    max_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    prompt_cache_key: "k",
    reasoning_effort: "high",
    verbosity: "low",
    stream: true,
    response_format: { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" }, strict: true } },
  });
  expect(untranslatedIn({ ...body, input: "", max_tool_calls: 3, top_logprobs: null, future: 1 })).toEqual(["max_tool_calls", "future"]);
});

test("numbers in a body that is written again keep their spelling", () => {
  const args = '{"price":1.10,"rate":0.0000001,"id":12345678901234567890,"big":1e400}';
  const text = `{"model":"m","input":[{"type":"tool_search_call","call_id":"a","arguments":${args}}]}`;
  const source = parseJson(Buffer.from(text));
  const request = new TranslatedRequest(source, new ResponsesTranslation(new ResponseTools(), false, source.byteText));
  expect(request.text).toContain(JSON.stringify(args).slice(1, -1));
});
