import { expect, test } from "bun:test";
import { anthropicParameters } from "./anthropic-parameters.ts";
import { mapParameters } from "../../requests/map-parameters.ts";

const dropped = (body: Record<string, unknown>, model = "claude-sonnet-4-5"): readonly string[] =>
  mapParameters(body, anthropicParameters(model), {}).dropped;

test("drops hints without a counterpart in the Messages format", () => {
  const hints = { seed: 1, logit_bias: { 5: 1 }, store: true, metadata: {}, service_tier: "flex", prediction: {}, verbosity: "low" };
  const more = { frequency_penalty: 1, presence_penalty: 1, prompt_cache_key: "k", moderation: {}, min_p: 0.1 };
  expect(dropped({ ...hints, ...more })).toEqual([...Object.keys(hints), ...Object.keys(more)]);
});

test("rejects parameters that would change the response, by name", () => {
  for (const [name, value] of Object.entries({
    n: 2,
    logprobs: true,
    top_logprobs: 3,
    audio: {},
    modalities: ["audio"],
    functions: [],
    function_call: "auto",
    web_search_options: {},
  })) {
    expect(() => dropped({ [name]: value })).toThrow(expect.objectContaining({ code: "unsupported_parameter", param: name }));
  }
  expect(dropped({ n: 1, logprobs: false, top_logprobs: 0 })).toEqual(["n", "logprobs", "top_logprobs"]);
});

test("passes the Messages API's own parameters", () => {
  expect(dropped({ top_k: 5, thinking: {}, output_config: {}, cache_control: {} })).toEqual([]);
});

test("drops parameters that raise the operator's cost, unless the policy passes them", () => {
  const costly = { inference_geo: "us", service_tier: "priority", speed: "fast", container: "c", mcp_servers: [] };
  const more = { context_management: {}, betas: [], anthropic_beta: [], fallbacks: [] };
  expect(dropped({ ...costly, ...more })).toEqual([...Object.keys(costly), ...Object.keys(more)]);
  expect(mapParameters(costly, anthropicParameters("claude-opus-4-7"), { inference_geo: "pass" }).dropped).not.toContain("inference_geo");
});

test("drops sampling parameters for models with fixed sampling", () => {
  const sampling = { temperature: 0, top_p: 0.5, top_k: 5 };
  expect(dropped(sampling)).toEqual([]);
  expect(dropped(sampling, "claude-opus-4-7")).toEqual(["temperature", "top_p", "top_k"]);
});

test("drops thinking parameters for models without thinking", () => {
  const effort = { reasoning_effort: "high" };
  expect(dropped(effort, "claude-3-7-sonnet-20250219")).toEqual([]);
  expect(dropped(effort, "claude-3-5-haiku-20241022")).toEqual(["reasoning_effort"]);
});
