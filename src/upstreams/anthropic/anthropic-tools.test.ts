import { describe, expect, test } from "bun:test";
import { isForced, toTooling } from "./anthropic-tools.ts";

const fn = (name: string, more: object = {}): object => ({ type: "function", function: { name, ...more } });
const use = (name: string): { type: string; name: string } => ({ type: "tool_use", name });
const OPEN = { type: "object", properties: {} };
const TWO = [fn("a"), fn("b")];
const choiceOf = (body: Record<string, unknown>): unknown => toTooling({ tools: TWO, ...body }, []).tool_choice;

describe("tools", () => {
  test("keep their name, description, schema, strict flag and cache breakpoint", () => {
    const parameters = { $schema: "x", type: "object", properties: { city: { type: "string" } } };
    const mark = { type: "ephemeral" };
    expect(
      toTooling({ tools: [{ ...fn("weather", { description: "The weather.", parameters, strict: true }), cache_control: mark }] }, []),
    ).toEqual({
      tools: [{ name: "weather", description: "The weather.", input_schema: parameters, strict: true, cache_control: mark }],
    });
  });

  test("without parameters, or without their type, take an object", () => {
    expect(toTooling({ tools: [fn("a", { strict: false, description: "" }), fn("b", { parameters: { properties: {} } })] }, [])).toEqual({
      tools: [
        { name: "a", input_schema: OPEN },
        { name: "b", input_schema: OPEN },
      ],
    });
  });

  test.each([
    [{ type: "custom", custom: { name: "x" } }, "unsupported_parameter", "tools[0]"],
    [{ type: "web_search_20250305", name: "web_search" }, "unsupported_parameter", "tools[0]"],
    [fn("get weather"), "invalid_value", "tools[0].function.name"],
    [{ type: "function" }, "invalid_value", "tools[0].function.name"],
  ])("of other types are rejected: %j", (tool, code, param) => {
    expect(() => toTooling({ tools: [tool] }, [])).toThrow(expect.objectContaining({ code, param }));
  });

  test("that only the history calls are declared with tool_choice none", () => {
    const turns = [{ role: "assistant" as const, content: [use("a"), use("b"), use("a")] }];
    expect(toTooling({ tools: [] }, turns)).toEqual({
      tools: [
        { name: "a", input_schema: OPEN },
        { name: "b", input_schema: OPEN },
      ],
      tool_choice: { type: "none" },
    });
    expect(toTooling({ tool_choice: "auto" }, [])).toEqual({});
  });
});

describe("tool_choice", () => {
  test.each([
    [{}, undefined],
    [{ tool_choice: "auto" }, { type: "auto" }],
    [{ tool_choice: "none" }, { type: "none" }],
    [{ tool_choice: "required" }, { type: "any" }],
    [{ tool_choice: fn("b") }, { type: "tool", name: "b" }],
    [{ parallel_tool_calls: true }, undefined],
    [{ parallel_tool_calls: false }, { type: "auto", disable_parallel_tool_use: true }],
    [
      { parallel_tool_calls: false, tool_choice: "required" },
      { type: "any", disable_parallel_tool_use: true },
    ],
    [{ parallel_tool_calls: false, tool_choice: "none" }, { type: "none" }],
  ])("%j", (body, choice) => {
    expect(choiceOf(body)).toEqual(choice);
  });

  test("can be narrowed to allowed_tools", () => {
    const choice = { type: "allowed_tools", allowed_tools: { mode: "required", tools: [fn("b")] } };
    expect(toTooling({ tools: TWO, tool_choice: choice }, [])).toEqual({
      tools: [{ name: "b", input_schema: OPEN }],
      tool_choice: { type: "any" },
    });
  });

  test.each([
    ["always", "invalid_value"],
    [fn("c"), "invalid_value"],
    [{ type: "custom", custom: { name: "a" } }, "unsupported_parameter"],
    [{ type: "allowed_tools", allowed_tools: { mode: "auto", tools: [fn("c")] } }, "invalid_value"],
    [{ type: "allowed_tools" }, "unsupported_parameter"],
  ])("%j is rejected", (choice, code) => {
    expect(() => choiceOf({ tool_choice: choice })).toThrow(expect.objectContaining({ code, param: "tool_choice" }));
  });

  test("is forced for required and for a named tool", () => {
    expect(["auto", "none", "required", fn("a")].map((choice) => isForced(toTooling({ tools: TWO, tool_choice: choice }, [])))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});
