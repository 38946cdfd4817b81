import { rejectedField, type Difference } from "./difference.ts";

/** Differences for parameters, with valid and invalid values. */
export const PARAMETER_DIFFERENCES: Readonly<Record<string, Difference>> = {
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
    fields: rejectedField("unsupported_parameter", "service_tier"),
  },
  modalities: {
    rows: ['`modalities: ["text"]`'],
    fields: { "sent.modalities": [null, '["text"]'] },
  },
  web_search_options: {
    rows: ["`service_tier`, `web_search_options`"],
    fields: rejectedField("unsupported_parameter", "web_search_options"),
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
    rows: ["five `stop` sequences, if the provider takes four"],
    fields: { "sent.stop": ['["a","b","c","d","e"]', '["a","b","c","d"]'] },
  },
  "temperature as a string": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: rejectedField("invalid_value", "temperature"),
  },
  "temperature 3": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: rejectedField("invalid_value", "temperature"),
  },
  "max_tokens as a string": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: rejectedField("invalid_value", "max_tokens"),
  },
  "max_tokens 0": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: rejectedField("invalid_value", "max_tokens"),
  },
  "max_tokens -1": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: rejectedField("invalid_value", "max_tokens"),
  },
  "n of 0": {
    rows: ["numbers as strings, `max_tokens` 0 or less, `n` 0, `temperature` above 2"],
    fields: rejectedField("invalid_value", "n"),
  },
  "null content": {
    rows: ["null content without tool calls, content `[]`, tool arguments as an object"],
    fields: rejectedField("missing_required_parameter", "messages[0].content"),
  },
  "null content of an assistant without tool calls": {
    rows: ["null content without tool calls, content `[]`, tool arguments as an object"],
    fields: rejectedField("missing_required_parameter", "messages[1].content"),
  },
  "content that is an empty list": {
    rows: ["null content without tool calls, content `[]`, tool arguments as an object"],
    fields: rejectedField("invalid_value", "messages[0].content"),
  },
  "no messages": {
    rows: ["no messages, an unknown role"],
    fields: rejectedField("invalid_value", "messages"),
  },
  "an unknown role": {
    rows: ["no messages, an unknown role"],
    fields: rejectedField("invalid_value", "messages[0].role"),
  },
  "tool arguments as an object": {
    rows: ["null content without tool calls, content `[]`, tool arguments as an object"],
    fields: rejectedField("invalid_value", "messages[1].tool_calls[0].function.arguments"),
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
};
