import { expect, test } from "bun:test";
import { anthropicParameters } from "./anthropic-parameters.ts";
import { mapParameters } from "../../requests/map-parameters.ts";

const dropped = (body: Record<string, unknown>, model = "claude-sonnet-4-5"): readonly string[] =>
  mapParameters(body, anthropicParameters(model), {}).dropped;

test("hints that the Messages format has no word for are left out", () => {
  const hints = { seed: 1, logit_bias: { 5: 1 }, store: true, metadata: {}, service_tier: "flex", prediction: {}, verbosity: "low" };
  const more = { frequency_penalty: 1, presence_penalty: 1, prompt_cache_key: "k", moderation: {}, min_p: 0.1 };
  expect(dropped({ ...hints, ...more })).toEqual([...Object.keys(hints), ...Object.keys(more)]);
});

test("what would change the answer's shape is refused, and named", () => {
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

test("words of the Messages API itself are carried", () => {
  expect(dropped({ top_k: 5, thinking: {}, output_config: {}, cache_control: {} })).toEqual([]);
});

test("words that raise the operator's bill are left out, unless the operator lets them through", () => {
  const dear = { inference_geo: "us", service_tier: "priority", speed: "fast", container: "c", mcp_servers: [] };
  const more = { context_management: {}, betas: [], anthropic_beta: [], fallbacks: [] };
  expect(dropped({ ...dear, ...more })).toEqual([...Object.keys(dear), ...Object.keys(more)]);
  expect(mapParameters(dear, anthropicParameters("claude-opus-4-7"), { inference_geo: "pass" }).dropped).not.toContain("inference_geo");
});

test("models that choose their own sampling are not told about any", () => {
  const sampling = { temperature: 0, top_p: 0.5, top_k: 5 };
  expect(dropped(sampling)).toEqual([]);
  expect(dropped(sampling, "claude-opus-4-7")).toEqual(["temperature", "top_p", "top_k"]);
});

test("models that cannot think are not told to", () => {
  const effort = { reasoning_effort: "high" };
  expect(dropped(effort, "claude-3-7-sonnet-20250219")).toEqual([]);
  expect(dropped(effort, "claude-3-5-haiku-20241022")).toEqual(["reasoning_effort"]);
});
