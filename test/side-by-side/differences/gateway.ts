import type { Difference } from "./difference.ts";

/** Differences for fields that are for the gateway, and for its settings. */
export const GATEWAY_DIFFERENCES: Readonly<Record<string, Difference>> = {
  "fallbacks in the body": {
    rows: ["LiteLLM's own fields of the body"],
    fields: {
      status: [502, 200],
      "error.type": ["server_error", null],
      "error.code": ["upstream_error", null],
      "sent.model": ["status-500", "good"],
    },
  },
  "num_retries in the body": {
    rows: ["LiteLLM's own fields of the body", "the upstream returns 408, 409 or 500", "attempts at an upstream that fails"],
    fields: {
      status: [502, 500],
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["upstream_error", "500"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "a short timeout in the body": {
    rows: ["the upstream times out"],
    fields: { status: [504, 408], "error.type": ["server_error", "invalid_request_error"], "error.code": ["upstream_timeout", "408"] },
  },
  "api_base in the body": {
    rows: ["LiteLLM's own fields of the body"],
    fields: { status: [200, 500], calls: [1, 0], error: [null, "no error object"] },
  },
  "api_key in the body": {
    rows: ["LiteLLM's own fields of the body"],
    fields: { "sent authorization": ["Bearer sk-double", "Bearer sk-other"] },
  },
  "extra_headers in the body": {
    rows: ["LiteLLM's own fields of the body"],
    fields: { "sent x-team": [null, "red"] },
  },
  "the header x-litellm-num-retries": {
    rows: [
      "LiteLLM's own headers, such as `x-litellm-num-retries`",
      "the upstream returns 503 or 529",
      "attempts at an upstream that fails",
      "`error.code` and `error.param`",
    ],
    fields: {
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["overloaded", "503"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "a default of max_tokens and max_completion_tokens in the request": {
    rows: ["`max_completion_tokens`, if the deployment has `max_tokens`"],
    fields: { "sent.max_tokens": [null, "50"] },
  },
  "deployments in order": {
    rows: ["attempts at an upstream that fails", "`model` after a retry or a fallback"],
    fields: { model: ["ordered", "good"], calls: [2, 4] },
  },
  "deployments in order, streamed": {
    rows: ["attempts at an upstream that fails"],
    fields: { calls: [2, 4] },
  },
  "a fallback": {
    rows: ["attempts at an upstream that fails", "`model` after a retry or a fallback"],
    fields: { model: ["chat", "good"], calls: [3, 4] },
  },
  "a fallback, streamed": {
    rows: ["attempts at an upstream that fails"],
    fields: { calls: [3, 4] },
  },
  "a fallback for a long prompt": {
    rows: ["`model` after a retry or a fallback"],
    fields: { model: ["chat", "good"] },
  },
  "a fallback for a rejected prompt": {
    rows: ["`content_policy_fallbacks`"],
    fields: {
      status: [200, 400],
      calls: [2, 1],
      "sent.model": ["good", "filtered"],
      "error.type": [null, "invalid_request_error"],
      "error.code": [null, "400"],
      "error.hasUpstreamText": [null, true],
    },
  },
  "a wildcard without such a model": {
    rows: ["an unknown model"],
    fields: {
      status: [403, 404],
      "error.type": ["permission_error", "invalid_request_error"],
      "error.code": ["model_not_allowed", "404"],
      "error.param": ["model", null],
      calls: [0, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
};
