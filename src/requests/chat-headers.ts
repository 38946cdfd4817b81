/** Request headers of a chat completion. The platform forwards them when it calls the gateway. */
export const CHAT_REQUEST_HEADERS = {
  "Idempotency-Key":
    "Requests with the same key and the same body are executed and charged once within 24 hours; repeats receive the stored response.",
  "x-timeout-ms": "The timeout for the start of the response, in milliseconds. After it there is no failover to another upstream.",
  "Cache-Control": "For a model with a response cache: `no-cache` skips the lookup, `no-store` also does not store the response.",
  "x-dry-run": "`1` for a dry run: no upstream is called, and nothing is charged or counted.",
  "x-tollgate-tags": "Up to eight tags that the cost is attributed to, as `name=value`, separated by commas: `team=search,env=prod`.",
  "x-conversation-id": "The conversation that the request belongs to. `x-session-id` is read too.",
  "x-max-cost": "The maximum cost of this request, in dollars. A response that reaches it ends with `finish_reason: length`.",
} as const;

/** Request headers of a request to count tokens. */
export const COUNT_REQUEST_HEADERS = {
  "x-api-key": "The key, instead of `Authorization`. If both are present, they must be equal.",
  "anthropic-version": "The version of the format. Passed on to upstreams that speak it.",
  "anthropic-beta": "Beta features, separated by commas. Passed on to Anthropic.",
} as const;

/** Request headers of a request in the Messages format. */
export const MESSAGES_REQUEST_HEADERS = {
  ...CHAT_REQUEST_HEADERS,
  ...COUNT_REQUEST_HEADERS,
  "x-claude-code-session-id": "The conversation that the request belongs to, if `x-conversation-id` and `x-session-id` are absent.",
  "x-claude-code-agent-id": "That a sub-agent sends the request, which gets the tag `agent`.",
  "x-claude-code-agent-type": "The value of the tag `agent`; `subagent` if it is absent.",
} as const;

/** Request headers of a request in the Responses format. */
export const RESPONSES_REQUEST_HEADERS = {
  ...CHAT_REQUEST_HEADERS,
  "openai-beta": "Beta features, separated by commas. Passed on to OpenAI.",
  "x-client-request-id": "The client's name for the request. Passed on to OpenAI.",
  "x-codex-turn-state":
    "The value of the same header in an earlier response of the turn. Passed on if the same upstream serves the request.",
  "x-openai-subagent": "The kind of sub-agent that sends the request: the value of the tag `agent`.",
  "session-id": "The conversation that the request belongs to, if `x-conversation-id` and `x-session-id` are absent. Codex sends it.",
} as const;

/** Request headers of the model list. */
export const LIST_REQUEST_HEADERS = {
  "x-usage": "`1` adds the usage of the calling key, its limits, spend caps, credit and last requests. At most 30 times a minute.",
} as const;

/** The media type of the response to a dry run. */
export const DRY_RUN_TYPE = "application/vnd.tollgate.explanation+json";
