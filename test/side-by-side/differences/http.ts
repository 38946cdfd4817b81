import { rejectedField, type Difference } from "./difference.ts";

/** Differences for requests in plain HTTP. */
export const HTTP_DIFFERENCES: Readonly<Record<string, Difference>> = {
  "an empty body": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["invalid_json", "400"], "error.param": [null, "messages"] },
  },
  "invalid JSON": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["invalid_json", "400"], "error.param": [null, "request_body"] },
  },
  "JSON that is a list": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["invalid_json", "400"], "error.param": [null, "request_body"] },
  },
  "no model": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["missing_required_parameter", "400"], "error.param": ["model", null] },
  },
  "messages missing": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["missing_required_parameter", "400"] },
  },
  "messages that are a text": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["invalid_value", "400"], "error.param": ["messages", null] },
  },
  "stream as a string": {
    rows: ["`stream` as a string, a field twice"],
    fields: rejectedField("invalid_value", "stream"),
  },
  "a field twice": {
    rows: ["`stream` as a string, a field twice"],
    fields: rejectedField("invalid_value", "temperature"),
  },
  "a body of 25 MB": {
    rows: ["a large body"],
    fields: { status: [413, 200], "error.type": ["invalid_request_error", null], "error.code": ["request_too_large", null], calls: [0, 1] },
  },
  "text/plain": {
    rows: ["`Content-Type: text/plain`"],
    fields: {
      status: [415, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["unsupported_media_type", null],
      calls: [0, 1],
    },
  },
  "no key": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.type": ["authentication_error", "auth_error"], "error.code": ["invalid_api_key", "401"] },
  },
  "a wrong key": {
    rows: ["a wrong key"],
    fields: { status: [401, 400], "error.type": ["authentication_error", "no_db_connection"], "error.code": ["invalid_api_key", "400"] },
  },
  "a key without Bearer": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.type": ["authentication_error", "auth_error"], "error.code": ["invalid_api_key", "401"] },
  },
  "the key in api-key": {
    rows: ["the key in `api-key`, `x-api-key` or `x-litellm-api-key`"],
    fields: { status: [401, 200], "error.type": ["authentication_error", null], "error.code": ["invalid_api_key", null], calls: [0, 1] },
  },
  "the key in x-api-key": {
    rows: ["the key in `api-key`, `x-api-key` or `x-litellm-api-key`"],
    fields: { status: [401, 200], "error.type": ["authentication_error", null], "error.code": ["invalid_api_key", null], calls: [0, 1] },
  },
  "the key in x-litellm-api-key": {
    rows: ["the key in `api-key`, `x-api-key` or `x-litellm-api-key`"],
    fields: { status: [401, 200], "error.type": ["authentication_error", null], "error.code": ["invalid_api_key", null], calls: [0, 1] },
  },
  "a path without /v1": {
    rows: ["a base URL without `/v1`, paths of Azure, `/engines/…`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
  "a path of Azure": {
    rows: ["a base URL without `/v1`, paths of Azure, `/engines/…`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
  "a path of engines": {
    rows: ["a base URL without `/v1`, paths of Azure, `/engines/…`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
  "a slash at the end": {
    rows: ["a slash at the end of the path"],
    fields: { status: [200, 307], calls: [1, 0], error: [null, "no error object"] },
  },
  "headers of a response": {
    rows: ["request ID", "cost", "upstream"],
    fields: {
      headers: [
        [
          "x-request-id",
          "x-tollgate-attempts",
          "x-tollgate-cost",
          "x-tollgate-credit-remaining",
          "x-tollgate-price-version",
          "x-tollgate-provenance",
          "x-tollgate-upstream",
        ],
        [
          "content-security-policy",
          "llm_provider-content-length",
          "llm_provider-content-type",
          "llm_provider-date",
          "x-content-type-options",
          "x-frame-options",
          "x-litellm-attempted-fallbacks",
          "x-litellm-attempted-retries",
          "x-litellm-call-id",
          "x-litellm-callback-duration-ms",
          "x-litellm-key-spend",
          "x-litellm-model-api-base",
          "x-litellm-model-group",
          "x-litellm-model-id",
          "x-litellm-model-name",
          "x-litellm-overhead-duration-ms",
          "x-litellm-response-cost",
          "x-litellm-response-cost-cache-read",
          "x-litellm-response-cost-discount-amount",
          "x-litellm-response-cost-input",
          "x-litellm-response-cost-margin-amount",
          "x-litellm-response-cost-margin-percent",
          "x-litellm-response-cost-original",
          "x-litellm-response-cost-output",
          "x-litellm-response-cost-tool-usage",
          "x-litellm-response-duration-ms",
          "x-litellm-version",
        ],
      ],
    },
  },
  "headers of a stream": {
    rows: ["request ID", "cost", "upstream"],
    fields: {
      headers: [
        ["x-accel-buffering", "x-request-id", "x-tollgate-attempts", "x-tollgate-credit-remaining", "x-tollgate-upstream"],
        [
          "content-security-policy",
          "llm_provider-content-length",
          "llm_provider-content-type",
          "llm_provider-date",
          "x-accel-buffering",
          "x-content-type-options",
          "x-frame-options",
          "x-litellm-attempted-fallbacks",
          "x-litellm-attempted-retries",
          "x-litellm-call-id",
          "x-litellm-callback-duration-ms",
          "x-litellm-key-spend",
          "x-litellm-model-api-base",
          "x-litellm-model-group",
          "x-litellm-model-id",
          "x-litellm-model-name",
          "x-litellm-overhead-duration-ms",
          "x-litellm-response-cost-discount-amount",
          "x-litellm-response-cost-input",
          "x-litellm-response-cost-margin-amount",
          "x-litellm-response-cost-margin-percent",
          "x-litellm-response-cost-original",
          "x-litellm-response-cost-output",
          "x-litellm-response-cost-tool-usage",
          "x-litellm-response-duration-ms",
          "x-litellm-version",
        ],
      ],
    },
  },
  "headers of a failure": {
    rows: ["request ID", "upstream", "the upstream returns 429", "attempts at an upstream that fails"],
    fields: {
      status: [503, 429],
      "error.type": ["server_error", "throttling_error"],
      "error.code": ["overloaded", "429"],
      headers: [
        ["retry-after", "x-request-id", "x-tollgate-attempts", "x-tollgate-credit-remaining", "x-tollgate-upstream"],
        [
          "content-security-policy",
          "llm_provider-content-length",
          "llm_provider-content-type",
          "llm_provider-date",
          "llm_provider-retry-after",
          "x-content-type-options",
          "x-frame-options",
          "x-litellm-call-id",
          "x-litellm-key-spend",
          "x-litellm-model-id",
          "x-litellm-model-name",
          "x-litellm-response-cost",
          "x-litellm-timeout",
        ],
      ],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "headers of a timeout": {
    rows: ["request ID", "the upstream times out"],
    fields: {
      status: [504, 408],
      "error.type": ["server_error", "invalid_request_error"],
      "error.code": ["upstream_timeout", "408"],
      headers: [
        ["x-request-id", "x-should-retry", "x-tollgate-attempts", "x-tollgate-credit-remaining", "x-tollgate-upstream"],
        [
          "content-security-policy",
          "x-content-type-options",
          "x-frame-options",
          "x-litellm-call-id",
          "x-litellm-key-spend",
          "x-litellm-model-id",
          "x-litellm-model-name",
          "x-litellm-response-cost",
          "x-litellm-timeout",
        ],
      ],
    },
  },
  "GET at chat completions": {
    rows: ["an unknown path, or a wrong method", "`error.code` and `error.param`"],
    fields: { "error.type": ["invalid_request_error", null], "error.code": ["method_not_allowed", null], error: [null, "no error object"] },
  },
  "GET /v1/models": {
    rows: ["`GET /v1/models`"],
    fields: {
      expanded: [1, 211],
    },
  },
  "GET /v1/models without a key": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.type": ["authentication_error", "auth_error"], "error.code": ["invalid_api_key", "401"] },
  },
  "GET /v1/models/ID": {
    rows: ["`GET /v1/models/ID`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null] },
  },
  "GET /v1/models/ID of an unknown model": {
    rows: ["`GET /v1/models/ID`", "an unknown path, or a wrong method", "`error.code` and `error.param`"],
    fields: { "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], error: [null, "no error object"] },
  },
  "GET /models": {
    rows: ["a base URL without `/v1`, paths of Azure, `/engines/…`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null] },
  },
  "GET /v1/model/info": {
    rows: ["`GET /v1/model/info`, `GET /`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null] },
  },
  "GET /health/liveliness": {
    rows: ["`/health/liveliness`, `/health/liveness`, `/health/readiness`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null] },
  },
  "GET /health/liveness": {
    rows: ["`/health/liveliness`, `/health/liveness`, `/health/readiness`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null] },
  },
  "GET /health/readiness": {
    rows: ["`/health/liveliness`, `/health/liveness`, `/health/readiness`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null] },
  },
  "GET /": {
    rows: ["`GET /v1/model/info`, `GET /`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null] },
  },
  "an unknown path": {
    rows: ["an unknown path, or a wrong method", "`error.code` and `error.param`"],
    fields: { "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], error: [null, "no error object"] },
  },
  "a preflight of a browser": {
    rows: ["a browser's preflight (CORS)"],
    fields: { status: [204, 200] },
  },
  "POST /v1/completions": {
    rows: ["`/v1/completions`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
  "POST /v1/embeddings": {
    rows: ["`/v1/embeddings`, `/v1/responses`, `/v1/messages`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
  "POST /v1/responses": {
    rows: ["`/v1/embeddings`, `/v1/responses`, `/v1/messages`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
  "POST /v1/messages": {
    rows: ["`/v1/embeddings`, `/v1/responses`, `/v1/messages`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
};
