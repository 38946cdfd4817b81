import { describe, expect, test } from "bun:test";
import { refusalOf } from "../../../test/dialects/gemini-call.ts";
import { toTools } from "./gemini-tools.ts";

const parameters = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { city: { type: "string" } } };
const weather = { type: "function", function: { name: "weather", description: "The weather.", parameters, strict: true } };
const time = { type: "function", function: { name: "time" } };
const tools = [weather, time];
const named = (name: string): object => ({ type: "function", function: { name } });

test("declares functions with unchanged schemas", () => {
  expect(toTools({ tools })).toEqual({
    tools: [
      { functionDeclarations: [{ name: "weather", description: "The weather.", parametersJsonSchema: parameters }, { name: "time" }] },
    ],
  });
  expect(toTools({ tools: [] })).toEqual({});
  expect(toTools({})).toEqual({});
});

describe("tool_choice", () => {
  const CHOICES: [unknown, object][] = [
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [named("time"), { mode: "ANY", allowedFunctionNames: ["time"] }],
    [
      { type: "allowed_tools", allowed_tools: { mode: "required", tools: [named("time"), named("weather")] } },
      { mode: "ANY", allowedFunctionNames: ["time", "weather"] },
    ],
    [
      { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [named("time")] } },
      { mode: "VALIDATED", allowedFunctionNames: ["time"] },
    ],
  ];
  test.each(CHOICES)("%j", (choice, functionCallingConfig) => {
    expect(toTools({ tools, tool_choice: choice }).toolConfig).toEqual({ functionCallingConfig });
  });

  test("without tools is omitted", () => {
    expect(toTools({ tool_choice: "auto" })).toEqual({});
    expect(toTools({ tools: [], tool_choice: "none" })).toEqual({});
  });
});

describe("unsupported tools are rejected with their path", () => {
  const REFUSED: [Record<string, unknown>, string, string][] = [
    [{ tools: [time, { type: "custom", custom: { name: "shell" } }] }, "unsupported_parameter", "tools[1]"],
    [{ tools: [{ type: "web_search" }] }, "unsupported_parameter", "tools[0]"],
    [{ tools: [{ type: "function", function: {} }] }, "invalid_value", "tools[0].function.name"],
    [{ tools: [{ type: "function" }] }, "invalid_value", "tools[0].function.name"],
    [{ tools: [{ type: "function", function: { name: "f", parameters: "{}" } }] }, "invalid_value", "tools[0].function.parameters"],
    [{ tool_choice: "required" }, "invalid_value", "tool_choice"],
    [{ tools, tool_choice: "sometimes" }, "unsupported_parameter", "tool_choice"],
    [{ tools, tool_choice: { type: "custom", custom: { name: "shell" } } }, "unsupported_parameter", "tool_choice"],
    [{ tools, tool_choice: named("other") }, "invalid_value", "tool_choice.function.name"],
    [{ tools, tool_choice: { type: "allowed_tools" } }, "invalid_value", "tool_choice.allowed_tools.tools"],
    [
      { tools, tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [time, named("other")] } } },
      "invalid_value",
      "tool_choice.allowed_tools.tools[1].function.name",
    ],
  ];
  test.each(REFUSED)("%j", (fields, code, param) => expect(refusalOf(() => toTools(fields))).toEqual([code, param]));
});
