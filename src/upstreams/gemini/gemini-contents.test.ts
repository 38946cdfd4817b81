import { describe, expect, test } from "bun:test";
import { refusalOf } from "../../../test/dialects/gemini-call.ts";
import { toConversation } from "./gemini-contents.ts";
import { cpuMsOf } from "../../../test/support/cpu-time.ts";

const call = (id: string, name = "weather", args = '{"city":"Oslo"}'): object => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const result = (id: string, content: unknown = "rain"): Record<string, unknown> => ({ role: "tool", tool_call_id: id, content });

test("moves system messages out of the turns, wherever they are", () => {
  const { system, contents } = toConversation([
    { role: "system", content: "One." },
    { role: "user", content: "Hello!" },
    {
      role: "developer",
      content: [
        { type: "text", text: "Two." },
        { type: "text", text: "Three." },
      ],
    },
    { role: "system", content: "" },
    { role: "user", content: "And?" },
  ]);
  expect(system).toEqual([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  expect(contents).toEqual([{ role: "user", parts: [{ text: "Hello!" }, { text: "And?" }] }]);
});

test("merges consecutive messages of one role, and omits empty text", () => {
  const { contents } = toConversation([
    { role: "user", content: "a" },
    {
      role: "user",
      content: [
        { type: "text", text: "" },
        { type: "text", text: "b" },
      ],
    },
    { role: "assistant", content: "" },
    { role: "user", content: "c" },
    { role: "assistant", content: "d" },
    { role: "assistant", content: null, refusal: "no" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "e" },
        { type: "refusal", refusal: "f" },
      ],
    },
  ]);
  expect(contents).toEqual([
    { role: "user", parts: [{ text: "a" }, { text: "b" }, { text: "c" }] },
    { role: "model", parts: [{ text: "d" }, { text: "no" }, { text: "e" }, { text: "f" }] },
  ]);
});

test("sends the thought signature of text back, and drops the reasoning", () => {
  const extra_content = { google: { thought_signature: "c2ln" } };
  const { contents } = toConversation([{ role: "assistant", content: "Hi.", reasoning_content: "Hm.", extra_content }]);
  expect(contents).toEqual([{ role: "model", parts: [{ text: "Hi.", thoughtSignature: "c2ln" }] }]);
  expect(toConversation([{ role: "assistant", content: "", extra_content }]).contents).toEqual([]);
});

/** The function name of a result without a matching call. */
function nameOf(message: Record<string, unknown>): unknown {
  return toConversation([message]).contents[0]!.parts[0]!.functionResponse!.name;
}

describe("tool calls", () => {
  test("become function calls, and their results follow in one turn, named and in order", () => {
    const { contents } = toConversation([
      { role: "assistant", content: "Let me see.", tool_calls: [call("a"), call("b", "time", "")] },
      result("b", '{"hour":3}'),
      result("a", [
        { type: "text", text: "ra" },
        { type: "text", text: "in" },
      ]),
      { role: "user", content: "Well?" },
    ]);
    expect(contents).toEqual([
      {
        role: "model",
        parts: [
          { text: "Let me see." },
          { functionCall: { id: "a", name: "weather", args: { city: "Oslo" } } },
          { functionCall: { id: "b", name: "time", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "weather", response: { result: "rain" } } },
          { functionResponse: { id: "b", name: "time", response: { hour: 3 } } },
          { text: "Well?" },
        ],
      },
    ]);
  });

  test("of the legacy form become function calls without ids", () => {
    const { contents } = toConversation([
      { role: "assistant", content: null, function_call: { name: "weather", arguments: '{"city":"Oslo"}' } },
      { role: "function", name: "weather", content: "rain" },
    ]);
    expect(contents).toEqual([
      { role: "model", parts: [{ functionCall: { name: "weather", args: { city: "Oslo" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "weather", response: { result: "rain" } } }] },
    ]);
  });

  test.each(["not JSON", "[1,2]", "7", '"text"'])("with arguments that are not an object still go back: %#", (text) => {
    const { contents } = toConversation([{ role: "assistant", tool_calls: [call("a", "f", text)] }, result("a", text)]);
    expect(contents[0]!.parts[0]!.functionCall!.args).toEqual({ arguments: text });
    expect(contents[1]!.parts[0]!.functionResponse!.response).toEqual({ result: text });
  });

  test("are rejected with arguments nested deeper than a body may be; such a result goes back as text", () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(() => toConversation([{ role: "assistant", tool_calls: [call("a", "f", deep)] }])).toThrow("nest deeper than 256 levels");
    const { contents } = toConversation([{ role: "assistant", tool_calls: [call("a", "f", "{}")] }, result("a", deep)]);
    expect(contents[1]!.parts[0]!.functionResponse!.response).toEqual({ result: deep });
  });

  test("and their results preserve every digit of numbers", () => {
    const text = '{"id":12345678901234567890}';
    const { contents } = toConversation([{ role: "assistant", tool_calls: [call("a", "f", text)] }, result("a", text)]);
    expect(JSON.stringify(contents).match(/:12345678901234567890}/g)).toHaveLength(2);
  });

  test("by the thousand are translated in linear time", () => {
    const made = Array.from({ length: 100_000 }, (_, at) => call(`c${at}`, "f"));
    const results = Array.from({ length: 9_000 }, (_, at) => result(`c${99_999 - at}`));
    const convert = (): ReturnType<typeof toConversation> => toConversation([{ role: "assistant", tool_calls: made }, ...results]);
    expect(convert().contents[1]!.parts.at(-1)!.functionResponse!.id).toBe("c99999");
    expect(cpuMsOf(() => void convert())).toBeLessThan(2_000);
  }, 300_000);

  test("of custom tools in the history keep their input", () => {
    const made = { id: "a", type: "custom", custom: { name: "shell", input: "ls" } };
    expect(toConversation([{ role: "assistant", tool_calls: [made] }]).contents[0]!.parts).toEqual([
      { functionCall: { id: "a", name: "shell", args: { arguments: "ls" } } },
    ]);
  });

  test("get a function name for results that match no call", () => {
    expect(nameOf({ ...result("x"), name: "weather" })).toBe("weather");
    expect(nameOf(result("x"))).toBe("x");
    expect(nameOf({ role: "tool", content: "rain" })).toBe("unknown");
  });
});

describe("unsupported content is rejected with its path", () => {
  const REFUSED: [object, string, string][] = [
    [{ role: "assistant", tool_calls: [{ id: "a" }] }, "invalid_value", "messages[0].tool_calls[0].function.name"],
    [{ role: "assistant", audio: { id: "audio_1" } }, "unsupported_parameter", "messages[0].audio"],
    [{ role: "assistant", content: [{ type: "image_url", image_url: "data:," }] }, "unsupported_parameter", "messages[0].content[0]"],
    [
      {
        role: "system",
        content: [
          { type: "text", text: "a" },
          { type: "file", file: {} },
        ],
      },
      "unsupported_parameter",
      "messages[0].content[1]",
    ],
    [result("a", [{ type: "image_url", image_url: "data:," }]), "unsupported_parameter", "messages[0].content[0]"],
  ];
  test.each(REFUSED)("%j", (message, code, param) => {
    expect(refusalOf(() => toConversation([message as Record<string, unknown>]))).toEqual([code, param]);
  });
});
