import type { Differences } from "./outcome.ts";

/** The outcome of a kind of request that is not the same at both gateways. */
interface Difference {
  /** The rows of docs/migrating-from-litellm.md, "What differs for callers", that give the reason, by their first cell. */
  readonly rows: readonly [string, ...string[]];
  /** What differs: Tollgate's, LiteLLM's. */
  readonly fields: Differences;
}

/** Every difference, by the name of the kind. Kinds that are not listed have the same outcome. */
export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  "stream false": {
    rows: ["null for optional fields, `stream: false`"],
    fields: { "sent.stream": ["false", null] },
  },
  "a developer message": {
    rows: ["a `developer` message"],
    fields: {
      "sent.messages": [
        '[{"role":"developer","content":"Be short."},{"role":"user","content":"Hello!"}]',
        '[{"role":"system","content":"Be short."},{"role":"user","content":"Hello!"}]',
      ],
    },
  },
  "the result of a tool": {
    rows: ["null for optional fields, `stream: false`"],
    fields: {
      "sent.messages": [
        '[{"role":"user","content":"Hello!"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]},{"role":"tool","tool_call_id":"call_0","content":"rain"}]',
        '[{"role":"user","content":"Hello!"},{"role":"assistant","tool_calls":[{"id":"call_0","type":"function","function":{"name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]},{"role":"tool","tool_call_id":"call_0","content":"rain"}]',
      ],
    },
  },
  "n of 2, streamed": {
    rows: ["`n` above 1 in a stream"],
    fields: { finish: ["stop | stop", "stop | none"], roles: [2, 1] },
  },
  verbosity: {
    rows: ["`user`, `metadata`, `verbosity`"],
    fields: { "sent.verbosity": ["low", null] },
  },
  service_tier: {
    rows: ["`service_tier`, `web_search_options`"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["unsupported_parameter", null],
      "error.param": ["service_tier", null],
      calls: [0, 1],
    },
  },
  modalities: {
    rows: ['`modalities: ["text"]`'],
    fields: { "sent.modalities": [null, '["text"]'] },
  },
  web_search_options: {
    rows: ["`service_tier`, `web_search_options`"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["unsupported_parameter", null],
      "error.param": ["web_search_options", null],
      calls: [0, 1],
    },
  },
  "a user": {
    rows: ["`user`, `metadata`, `verbosity`"],
    fields: { "sent.user": ["ann", null] },
  },
  "metadata and store": {
    rows: ["`user`, `metadata`, `verbosity`"],
    fields: { "sent.metadata": ['{"project":"x"}', null] },
  },
  "null for optional fields": {
    rows: ["null for optional fields, `stream: false`"],
    fields: {
      "sent.max_tokens": ["null", null],
      "sent.stop": ["null", null],
      "sent.temperature": ["null", null],
      "sent.user": ["null", null],
    },
  },
  "five stop sequences": {
    rows: ["five `stop` sequences, where the provider takes four"],
    fields: { "sent.stop": ['["a","b","c","d","e"]', '["a","b","c","d"]'] },
  },
  "temperature as a string": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["temperature", null],
      calls: [0, 1],
    },
  },
  "temperature 3": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["temperature", null],
      calls: [0, 1],
    },
  },
  "max_tokens as a string": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["max_tokens", null],
      calls: [0, 1],
    },
  },
  "max_tokens 0": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["max_tokens", null],
      calls: [0, 1],
    },
  },
  "max_tokens -1": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["max_tokens", null],
      calls: [0, 1],
    },
  },
  "n of 0": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["n", null],
      calls: [0, 1],
    },
  },
  "null content": {
    rows: ["null content without tool calls, content `[]`, tool arguments as an object"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["missing_required_parameter", null],
      "error.param": ["messages[0].content", null],
      calls: [0, 1],
    },
  },
  "null content of an assistant without tool calls": {
    rows: ["null content without tool calls, content `[]`, tool arguments as an object"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["missing_required_parameter", null],
      "error.param": ["messages[1].content", null],
      calls: [0, 1],
    },
  },
  "content that is an empty list": {
    rows: ["null content without tool calls, content `[]`, tool arguments as an object"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["messages[0].content", null],
      calls: [0, 1],
    },
  },
  "no messages": {
    rows: ["no messages, an unknown role"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["messages", null],
      calls: [0, 1],
    },
  },
  "an unknown role": {
    rows: ["no messages, an unknown role"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["messages[0].role", null],
      calls: [0, 1],
    },
  },
  "tool arguments as an object": {
    rows: ["null content without tool calls, content `[]`, tool arguments as an object"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["messages[1].tool_calls[0].function.arguments", null],
      calls: [0, 1],
    },
  },
  "a tool schema of 300 levels": {
    rows: ["JSON of more than 256 levels"],
    fields: { status: [400, 200], "error.type": ["invalid_request_error", null], "error.code": ["invalid_value", null], calls: [0, 1] },
  },
  "an unknown field": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["unsupported_parameter", "400"] },
  },
  "a field that another server knows": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["unsupported_parameter", "400"] },
  },
  "an unknown model": {
    rows: ["an unknown model"],
    fields: {
      status: [403, 400],
      "error.type": ["permission_error", "invalid_request_error"],
      "error.code": ["model_not_allowed", "400"],
      "error.param": ["model", null],
    },
  },
  "an empty model": {
    rows: ["`error.code` and `error.param`"],
    fields: { "error.code": ["invalid_value", "400"], "error.param": ["model", null] },
  },
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
  "tags in metadata": {
    rows: ["LiteLLM's own fields of the body"],
    fields: { "sent.metadata": ["{}", null] },
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
    rows: ["`max_completion_tokens`, where the deployment has `max_tokens`"],
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
    rows: ["`timeout` of a deployment, not streamed"],
    fields: {
      status: [0, 408],
      error: ["the client timed out", null],
      "error.type": [null, "invalid_request_error"],
      "error.code": [null, "408"],
    },
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
    rows: ["the upstream's response is invalid: HTML, empty, cut, an error with 200"],
    fields: { status: [502, 500], "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
  "is-empty": {
    rows: ["the upstream's response is invalid: HTML, empty, cut, an error with 200"],
    fields: { status: [502, 500], "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
  "error-in-200": {
    rows: ["the upstream's response is invalid: HTML, empty, cut, an error with 200", "attempts at an upstream that fails"],
    fields: {
      status: [502, 500],
      "error.type": ["server_error", "internal_server_error"],
      "error.code": ["upstream_error", "500"],
      calls: [2, 1],
      "error.hasUpstreamText": [null, true],
    },
  },
  "no-choices": {
    rows: ["the upstream's response is invalid: HTML, empty, cut, an error with 200"],
    fields: { status: [502, 200], "error.type": ["server_error", null], "error.code": ["upstream_error", null] },
  },
  "is-cut": {
    rows: ["the upstream's response is invalid: HTML, empty, cut, an error with 200"],
    fields: { status: [502, 500], "error.type": ["server_error", "internal_server_error"], "error.code": ["upstream_error", "500"] },
  },
  "no-usage": {
    rows: ["`usage` where the provider sends none"],
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
    rows: ["the upstream's response is invalid: HTML, empty, cut, an error with 200"],
    fields: { status: [502, 200], "error.type": ["server_error", null], "error.code": ["upstream_error", null] },
  },
  "no-usage, streamed": {
    rows: ["`usage` where the provider sends none"],
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
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["stream", null],
      calls: [0, 1],
    },
  },
  "a field twice": {
    rows: ["`stream` as a string, a field twice"],
    fields: {
      status: [400, 200],
      "error.type": ["invalid_request_error", null],
      "error.code": ["invalid_value", null],
      "error.param": ["temperature", null],
      calls: [0, 1],
    },
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
    rows: ["`/v1/completions`, `/v1/embeddings`, `/v1/responses`, `/v1/messages`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
  "POST /v1/embeddings": {
    rows: ["`/v1/completions`, `/v1/embeddings`, `/v1/responses`, `/v1/messages`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
  "POST /v1/responses": {
    rows: ["`/v1/completions`, `/v1/embeddings`, `/v1/responses`, `/v1/messages`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
  "POST /v1/messages": {
    rows: ["`/v1/completions`, `/v1/embeddings`, `/v1/responses`, `/v1/messages`"],
    fields: { status: [404, 200], "error.type": ["invalid_request_error", null], "error.code": ["unknown_url", null], calls: [0, 1] },
  },
};
