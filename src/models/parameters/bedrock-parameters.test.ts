import { expect, test } from "bun:test";
import { mapParameters } from "../../requests/map-parameters.ts";
import { bedrockParameters } from "./bedrock-parameters.ts";

const dropped = (body: Record<string, unknown>, model: string): readonly string[] =>
  mapParameters(body, bedrockParameters(model), {}).dropped;

const OPTIONS = { temperature: 0.5, top_p: 0.5, top_k: 5, reasoning_effort: "low", thinking: { type: "enabled", budget_tokens: 2000 } };

test.each([
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", []],
  ["global.anthropic.claude-opus-4-7-v1", ["temperature", "top_p", "top_k"]],
  ["anthropic.claude-3-haiku-20240307-v1:0", ["reasoning_effort", "thinking"]],
  ["openai.gpt-oss-20b-1:0", ["top_k", "thinking"]],
  ["amazon.nova-pro-v1:0", ["top_k", "reasoning_effort", "thinking"]],
  ["us.amazon.nova-2-lite-v1:0", ["top_k", "thinking"]],
  ["arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", ["top_k", "reasoning_effort", "thinking"]],
])("%s has no %j", (model, expected) => {
  expect(dropped(OPTIONS, model)).toEqual(expected);
});

test("drops hints, and what would raise the price of the same tokens", () => {
  const hints = { seed: 1, user: "u", parallel_tool_calls: false, serviceTier: "priority", performanceConfig: {}, requestMetadata: {} };
  expect(dropped(hints, "amazon.nova-pro-v1:0")).toEqual(Object.keys(hints));
});

test.each(["guardrailConfig", "promptVariables", "additionalModelRequestFields", "audio", "functions"])("rejects %s", (name) => {
  const expected = expect.objectContaining({ code: "unsupported_parameter", param: name }) as Error;
  expect(() => dropped({ [name]: {} }, "amazon.nova-pro-v1:0")).toThrow(expected);
});
