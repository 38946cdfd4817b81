import { describe, expect, test } from "bun:test";
import { geminiCall, refusalOf } from "../../../test/dialects/gemini-call.ts";
import { toGenerationConfig } from "./gemini-generation-config.ts";

function configFor(fields: Record<string, unknown>, upstreamModel = "gemini-3.5-flash", maxTokens?: number): unknown {
  const config = toGenerationConfig(fields, geminiCall({}, { upstreamModel, maxTokens }));
  return config && JSON.parse(JSON.stringify(config));
}

describe("a parameter becomes", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const CASES: [Record<string, unknown>, object | undefined][] = [
    [{}, undefined],
    [{ temperature: 0 }, { temperature: 0 }],
    [
      { top_p: 0.9, top_k: 40, seed: -7 },
      { topP: 0.9, topK: 40, seed: -7 },
    ],
    [
      { frequency_penalty: 0.5, presence_penalty: -1 },
      { frequencyPenalty: 0.5, presencePenalty: -1 },
    ],
    [{ max_tokens: 10 }, { maxOutputTokens: 10 }],
    [{ max_tokens: 10, max_completion_tokens: 20 }, { maxOutputTokens: 20 }],
    [{ stop: "END" }, { stopSequences: ["END"] }],
    [{ stop: ["1", "2", "3", "4", "5", ""] }, { stopSequences: ["1", "2", "3", "4", "5"] }],
    [{ stop: "" }, undefined],
    [{ response_format: { type: "text" } }, undefined],
    [{ response_format: { type: "json_object" } }, { responseMimeType: "application/json" }],
    [
      { response_format: { type: "json_schema", json_schema: { name: "n", strict: true, schema } } },
      { responseMimeType: "application/json", responseJsonSchema: schema },
    ],
    [{ response_format: { type: "json_schema", json_schema: { name: "n" } } }, { responseMimeType: "application/json" }],
    [{ modalities: ["text"] }, undefined],
  ];
  test.each(CASES)("%j", (fields, expected) => expect(configFor(fields)).toEqual(expected));

  test("the gateway's max tokens instead of the caller's", () => {
    expect(configFor({ max_tokens: 10 }, "gemini-3.5-flash", 5)).toEqual({ maxOutputTokens: 5 });
    expect(configFor({}, "gemini-3.5-flash", 5)).toEqual({ maxOutputTokens: 5 });
  });
});

describe("reasoning_effort", () => {
  const LEVELS = "thinkingLevel";
  const BUDGETS = "thinkingBudget";
  const EFFORTS: [model: string, word: string, amounts: Record<string, unknown>][] = [
    [
      "gemini-3.1-pro-preview",
      LEVELS,
      { none: "low", minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "high", max: "high" },
    ],
    ["gemini-3.8-flash", LEVELS, { none: "low", minimal: "low", medium: "medium", high: "high" }],
    ["gemini-3-flash-preview", LEVELS, { none: "minimal", minimal: "minimal", low: "low" }],
    ["publishers/google/models/gemini-3.1-flash-lite", LEVELS, { none: "minimal", minimal: "minimal", low: "low" }],
    ["gemini-flash-latest", LEVELS, { minimal: "low", high: "high" }],
    ["a-name-of-mine", LEVELS, { medium: "medium" }],
    ["gemini-2.5-flash", BUDGETS, { none: 0, minimal: 1024, low: 1024, medium: 8192, high: 24576, xhigh: 24576, max: 24576 }],
    ["gemini-2.5-flash-lite", BUDGETS, { none: 0, low: 1024 }],
    ["models/gemini-2.5-pro", BUDGETS, { none: 128, low: 1024, high: 24576 }],
  ];
  for (const [model, word, amounts] of EFFORTS) {
    test.each(Object.entries(amounts))(`of ${model}: %s`, (effort, amount) => {
      const expected = { [word]: amount, ...(effort !== "none" && { includeThoughts: true }) };
      expect(configFor({ reasoning_effort: effort }, model)).toEqual({ thinkingConfig: expected });
    });
  }

  test("is rejected for models without thinking, unless it is none", () => {
    for (const model of ["gemini-2.0-flash", "gemini-1.5-pro-002"]) {
      expect(configFor({ reasoning_effort: "none" }, model)).toBeUndefined();
      expect(refusalOf(() => configFor({ reasoning_effort: "low" }, model))).toEqual(["unsupported_parameter", "reasoning_effort"]);
    }
  });
});

describe("unsupported parameters are rejected by name", () => {
  const REFUSED: [Record<string, unknown>, string, string][] = [
    [{ stop: ["1", "2", "3", "4", "5", "6"] }, "unsupported_parameter", "stop"],
    [{ seed: 2 ** 31 }, "invalid_value", "seed"],
    [{ seed: 0.5 }, "invalid_value", "seed"],
    [{ top_k: "many" }, "invalid_value", "top_k"],
    [{ reasoning_effort: "enormous" }, "invalid_value", "reasoning_effort"],
    [{ response_format: { type: "grammar" } }, "unsupported_parameter", "response_format.type"],
    [{ response_format: { type: "json_schema" } }, "invalid_value", "response_format.json_schema"],
    [{ response_format: { type: "json_schema", json_schema: { schema: [] } } }, "invalid_value", "response_format.json_schema.schema"],
    [{ modalities: ["text", "audio"] }, "unsupported_parameter", "modalities"],
  ];
  test.each(REFUSED)("%j", (fields, code, param) => expect(refusalOf(() => configFor(fields))).toEqual([code, param]));
});
