import type { Difference } from "./difference.ts";

/** Differences for failing upstreams. */
export const FAILURE_DIFFERENCES: Readonly<Record<string, Difference>> = {
  "status-400": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["invalid_value", "400"] },
  },
  "wrong-credential": {
    rows: ["the upstream returns 401, 403 or 404"],
    fields: {
      status: [502, 401],
      "error.type": ["server_error", "authentication_error"],
      "error.code": ["upstream_error", "401"],
      "error.hasUpstreamText": [null, true],
    },
  },
  forbidden: {
    rows: ["the upstream returns 401, 403 or 404"],
    fields: {
      status: [502, 403],
      "error.type": ["server_error", "permission_error"],
      "error.code": ["upstream_error", "403"],
      "error.hasUpstreamText": [null, true],
    },
  },
  "status-404": {
    rows: ["the upstream returns 401, 403 or 404"],
    fields: {
      status: [502, 404],
      "error.type": ["server_error", "invalid_request_error"],
      "error.code": ["upstream_error", "404"],
      "error.hasUpstreamText": [null, true],
    },
  },
  "status-408": {
    rows: ["the upstream returns 408, 409 or 500", "attempts at an upstream that fails"],
    fields: {
      status: [502, 408],
      "error.type": ["server_error", "invalid_request_error"],
      "error.code": ["upstream_error", "408"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "status-409": {
    rows: ["the upstream returns 408, 409 or 500", "attempts at an upstream that fails"],
    fields: {
      status: [502, 409],
      "error.type": ["server_error", "invalid_request_error"],
      "error.code": ["upstream_error", "409"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "status-413": {
    rows: ["the upstream returns 413", "`error.code` and `error.param`"],
    fields: { "error.code": ["request_too_large", "413"], "error.hasUpstreamText": [null, true] },
  },
  "status-422": {
    rows: ["the upstream returns 422", "attempts at an upstream that fails"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["messages", null],
      "error.hasUpstreamText": [true, null],
      calls: [1, 2],
    },
  },
  "status-429": {
    rows: ["the upstream returns 429"],
    fields: {
      status: [503, 429],
      "error.type": ["server_error", "throttling_error"],
      "error.code": ["overloaded", "429"],
      "error.hasUpstreamText": [null, true],
    },
  },
  "status-429-wait": {
    rows: ["the upstream returns 429", "attempts at an upstream that fails"],
    fields: {
      status: [503, 429],
      "error.type": ["server_error", "throttling_error"],
      "error.code": ["overloaded", "429"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "out-of-quota": {
    rows: ["the upstream's quota is spent"],
    fields: {
      status: [502, 429],
      "error.type": ["server_error", "throttling_error"],
      "error.code": ["upstream_error", "429"],
      "error.hasUpstreamText": [null, true],
    },
  },
  "status-500": {
    rows: ["the upstream returns 408, 409 or 500", "attempts at an upstream that fails"],
    fields: {
      status: [502, 500],
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["upstream_error", "500"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "status-502": {
    rows: ["attempts at an upstream that fails", "`error.code` and `error.param`"],
    fields: { "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "502"], calls: [2, 1] },
  },
  "status-503": {
    rows: ["the upstream returns 503 or 529", "attempts at an upstream that fails", "`error.code` and `error.param`"],
    fields: {
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["overloaded", "503"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "status-503-wait": {
    rows: ["the upstream returns 503 or 529", "attempts at an upstream that fails", "`error.code` and `error.param`"],
    fields: {
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["overloaded", "503"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "status-529": {
    rows: ["the upstream returns 503 or 529", "attempts at an upstream that fails"],
    fields: {
      status: [503, 529],
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["overloaded", "529"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  redirects: {
    rows: ["the upstream cannot be reached, or redirects"],
    fields: { status: [502, 500], "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
  unreachable: {
    rows: ["the upstream cannot be reached, or redirects"],
    fields: { status: [503, 500], "error.type": ["server_error", "internal_server_error"], "error.code": ["no_upstream_available", "500"] },
  },
  impatient: {
    rows: ["the upstream times out"],
    fields: { status: [504, 408], "error.type": ["server_error", "invalid_request_error"], "error.code": ["upstream_timeout", "408"] },
  },
  "too-long-alone": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["context_length_exceeded", "400"], "error.param": ["messages", null] },
  },
  "filtered-alone": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["content_policy_violation", "400"] },
  },
  "is-html": {
    rows: ["the upstream's response is invalid: HTML, empty, cut off, an error with 200"],
    fields: { status: [502, 500], "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
  "is-empty": {
    rows: ["the upstream's response is invalid: HTML, empty, cut off, an error with 200"],
    fields: { status: [502, 500], "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
  "error-in-200": {
    rows: ["the upstream's response is invalid: HTML, empty, cut off, an error with 200", "attempts at an upstream that fails"],
    fields: {
      status: [502, 500],
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["upstream_error", "500"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "no-choices": {
    rows: ["the upstream's response is invalid: HTML, empty, cut off, an error with 200"],
    fields: { status: [502, 200], "error.type": ["server_error", null], "error.code": ["upstream_error", null] },
  },
  "is-cut": {
    rows: ["the upstream's response is invalid: HTML, empty, cut off, an error with 200"],
    fields: { status: [502, 500], "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
  "no-usage": {
    rows: ["`usage`, if the provider sends none"],
    fields: { usage: ["17+3=20, cached 0", "0+0=0, cached 0"] },
  },
  "status-400, streamed": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["invalid_value", "400"] },
  },
  "status-429, streamed": {
    rows: ["the upstream returns 429"],
    fields: {
      status: [503, 429],
      "error.type": ["server_error", "throttling_error"],
      "error.code": ["overloaded", "429"],
      "error.hasUpstreamText": [null, true],
    },
  },
  "status-500, streamed": {
    rows: ["the upstream returns 408, 409 or 500", "attempts at an upstream that fails"],
    fields: {
      status: [502, 500],
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["upstream_error", "500"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "impatient, streamed": {
    rows: ["the upstream times out"],
    fields: { status: [504, 408], "error.type": ["server_error", "invalid_request_error"], "error.code": ["upstream_timeout", "408"] },
  },
  "impatient-stream, streamed": {
    rows: ["a stream breaks off, has an error, or ends without a finish reason", "`error.code` and `error.param`"],
    fields: { "error.type": ["server_error", "invalid_request_error"], "error.code": ["upstream_timeout", "408"] },
  },
  "too-long-alone, streamed": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["context_length_exceeded", "400"], "error.param": ["messages", null] },
  },
  "is-html, streamed": {
    rows: ["the upstream's response is invalid: HTML, empty, cut off, an error with 200"],
    fields: { status: [502, 200], "error.type": ["server_error", null], "error.code": ["upstream_error", null] },
  },
  "no-usage, streamed": {
    rows: ["`usage`, if the provider sends none"],
    fields: { usage: ["31+3=34, cached 0", "9+2=11, cached 0"] },
  },
  "stream-cut, streamed": {
    rows: ["a stream breaks off, has an error, or ends without a finish reason", "`error.code` and `error.param`"],
    fields: { "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
  "stream-ends-early, streamed": {
    rows: ["a stream breaks off, has an error, or ends without a finish reason", "`error.code` and `error.param`"],
    fields: { "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
  "stream-error, streamed": {
    rows: ["a stream breaks off, has an error, or ends without a finish reason", "`error.code` and `error.param`"],
    fields: {
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["upstream_error", "500"],
      "error.hasUpstreamText": [null, true],
    },
  },
  "stream-error-first, streamed": {
    rows: ["a stream breaks off, has an error, or ends without a finish reason", "attempts at an upstream that fails"],
    fields: {
      status: [502, 500],
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["upstream_error", "500"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "stream-empty, streamed": {
    rows: ["a stream is empty"],
    fields: { status: [502, 200], "error.type": ["server_error", null], "error.code": ["upstream_error", null] },
  },
  "stream-only-done, streamed": {
    rows: ["a stream is empty"],
    fields: { status: [502, 200], "error.type": ["server_error", null], "error.code": ["upstream_error", null] },
  },
  "stream-no-finish, streamed": {
    rows: ["a stream breaks off, has an error, or ends without a finish reason", "`error.code` and `error.param`"],
    fields: { "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
  "stream-bad-json, streamed": {
    rows: ["a stream breaks off, has an error, or ends without a finish reason", "`error.code` and `error.param`"],
    fields: { "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
};
