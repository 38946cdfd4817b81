import { chat, type SdkKind } from "../kind.ts";

/** Fields that LiteLLM reads itself. */
export const GATEWAY_FIELDS: readonly SdkKind[] = [
  chat("fallbacks in the body", { model: "status-500", fallbacks: ["chat"] }),
  chat("num_retries in the body", { model: "status-500", num_retries: 0 }),
  chat("timeout in the body", { timeout: 30 }),
  chat("a short timeout in the body", { model: "silent", timeout: 1 }),
  chat("cache in the body", { cache: { "no-cache": true } }),
  chat("guardrails in the body", { guardrails: [] }),
  chat("tags in metadata", { metadata: { tags: ["team:search"] } }),
  chat("tags in the body", { tags: ["team:search"] }),
  chat("litellm_session_id in the body", { litellm_session_id: "s1" }),
  chat("drop_params in the body", { drop_params: true }),
  chat("mock_response in the body", { mock_response: "Hi" }),
  chat("api_base in the body", { api_base: "http://127.0.0.1:9/v1" }),
  chat("api_key in the body", { api_key: "sk-other" }),
  chat("extra_headers in the body", { extra_headers: { "x-team": "red" } }),
  chat("the header x-litellm-tags", {}, { "x-litellm-tags": "a,b" }),
  chat("the header x-litellm-num-retries", { model: "status-503" }, { "x-litellm-num-retries": "0" }),
];

/** Settings of the config. */
export const SETTINGS: readonly SdkKind[] = [
  chat("default parameters and headers", { model: "with-defaults" }),
  chat("default parameters that the request has", { model: "with-defaults", temperature: 1, max_tokens: 10 }),
  chat("a default of max_tokens and max_completion_tokens in the request", { model: "with-defaults", max_completion_tokens: 10 }),
  chat("a deployment of weight 0", { model: "weighted" }),
  chat("deployments in order", { model: "ordered" }),
  chat("deployments in order, streamed", { model: "ordered", stream: true }),
  chat("a fallback", { model: "falls-back" }),
  chat("a fallback, streamed", { model: "falls-back-streamed", stream: true }),
  chat("a fallback for a long prompt", { model: "small-window" }),
  chat("a fallback for a rejected prompt", { model: "filtered" }),
  chat("an alias", { model: "old-name" }),
  chat("a wildcard", { model: "double/good" }),
  chat("a wildcard without such a model", { model: "double/bad" }),
];

const streamed = (model: string): SdkKind => chat(`${model}, streamed`, { model, stream: true, stream_options: { include_usage: true } });

/** Behaviours of upstreams: each kind is named by the model, which is named by its behaviour. */
export const FAILURES: readonly SdkKind[] = [
  ...`status-400 wrong-credential forbidden status-404 status-408 status-409 status-413 status-422 status-429 status-429-wait out-of-quota
  status-500 status-502 status-503 status-503-wait status-529 redirects unreachable impatient too-long-alone filtered-alone is-html is-empty
  error-in-200 no-choices is-cut no-usage other-name ends-by-length ends-by-filter refuses reasons has-more-fields`
    .trim()
    .split(/\s+/)
    .map((model) => chat(model, { model })),
  ...`status-400 status-429 status-500 impatient impatient-stream too-long-alone is-html no-usage stream-cut stream-ends-early stream-error
  stream-error-first stream-empty stream-only-done stream-no-done stream-no-finish stream-no-role stream-bad-json stream-comments
  stream-usage-last`
    .trim()
    .split(/\s+/)
    .map(streamed),
];
