interface ErrorCode {
  readonly title: string;
  readonly description: string;
  readonly advice: string;
}

/** The error codes of docs/errors.md, with advice for operators and members. */
export const ERROR_CODES: Readonly<Record<string, ErrorCode>> = {
  invalid_json: {
    title: "Invalid JSON",
    description: "The request body is not a JSON object in UTF-8.",
    advice: "Fix the body that the client sends.",
  },
  missing_required_parameter: {
    title: "Missing field",
    description: "A required field is missing.",
    advice: "Add the field to the request.",
  },
  invalid_value: {
    title: "Invalid field",
    description: "A field has a wrong type or value, or the upstream rejected the request as malformed.",
    advice: "Fix the field. The error message to the client lists the valid values.",
  },
  unsupported_parameter: {
    title: "Unsupported parameter",
    description: "No route of the model supports one of the parameters, and dropping it would change the result.",
    advice: "Remove the parameter, or use a model that supports it.",
  },
  context_length_exceeded: {
    title: "Context window exceeded",
    description: "The upstream reported that the prompt is longer than the context window of the model.",
    advice: "Shorten the prompt, or use a model with a larger context window.",
  },
  content_policy_violation: {
    title: "Content policy violation",
    description: "The upstream rejected the prompt by its content policy.",
    advice: "Change the prompt.",
  },
  invalid_api_key: {
    title: "Invalid API key",
    description: "The key is missing, malformed, unknown, expired or revoked.",
    advice: "Send an active key as “Authorization: Bearer …”.",
  },
  api_key_paused: {
    title: "Key paused",
    description: "The key is paused, or its account is archived. Nothing was charged.",
    advice: "Resume the key, or restore its account.",
  },
  insufficient_credits: {
    title: "Insufficient credit",
    description:
      "The available credit of the account is below the maximum cost of this request. No upstream was called, and nothing was charged.",
    advice: "Grant credit to the account, or set a lower max_tokens.",
  },
  credits_in_flight: {
    title: "Credit reserved by other requests",
    description: "The account has enough credit, but a part of it is reserved by requests in flight. Nothing was charged.",
    advice: "Retry in a few seconds, set a lower max_tokens, or grant more credit.",
  },
  budget_exceeded: {
    title: "Spend cap exceeded",
    description:
      "The maximum cost of this request exceeds a spend cap of the key or the account, or the client's own x-max-cost. Nothing was charged.",
    advice: "Raise the spend cap, wait for the next day or month, or set a lower max_tokens.",
  },
  model_not_allowed: {
    title: "Model not allowed",
    description: "The key has no access to this model, the model does not exist, or it has no price.",
    advice: "Use a model that the key has access to, or grant the key access to this one.",
  },
  model_retired: {
    title: "Model retired",
    description: "The model is no longer served.",
    advice: "Use its replacement.",
  },
  unknown_url: {
    title: "Unknown URL",
    description: "The gateway has no endpoint at this path.",
    advice: "Check the base URL of the client: it ends in /v1.",
  },
  method_not_allowed: {
    title: "Method not allowed",
    description: "The endpoint does not support the HTTP method.",
    advice: "Use POST for chat completions.",
  },
  request_too_large: {
    title: "Request too large",
    description: "The body or the headers exceed a limit of the gateway or the upstream.",
    advice: "Send a smaller request, or raise TOLLGATE_MAX_BODY_BYTES.",
  },
  unsupported_media_type: {
    title: "Unsupported media type",
    description: "The body is not application/json, or it is compressed.",
    advice: "Send uncompressed JSON.",
  },
  rate_limit_exceeded: {
    title: "Rate limit exceeded",
    description:
      "The key or its account reached its requests per minute, tokens per minute or max concurrent requests, or the upstream reported that this request alone exceeds its own limit.",
    advice: "Send fewer requests, or raise the limit of the key or the account.",
  },
  internal_error: {
    title: "Internal error",
    description: "The gateway failed.",
    advice: "Report the request ID. The log of the gateway has details under this ID.",
  },
  upstream_error: {
    title: "Upstream error",
    description: "The upstream failed, interrupted the response, sent an invalid response, or rejected its credential or quota.",
    advice: "Retry. If the error persists, check the health and the credential of the upstream.",
  },
  overloaded: {
    title: "Overloaded",
    description: "The upstream is overloaded or rate limits the gateway, or the gateway itself is overloaded.",
    advice: "Retry later, or add a route or a credential.",
  },
  no_upstream_available: {
    title: "No upstream available",
    description: "No route of the model was available: the upstreams are unreachable or ejected. Nothing was sent, so a retry is safe.",
    advice: "Check the health of the upstreams, or add a route.",
  },
  upstream_timeout: {
    title: "Upstream timeout",
    description: "The upstream did not respond in time. It may have processed the request nevertheless.",
    advice: "Send a smaller request, or raise the timeouts of the upstream.",
  },
};

export const CODES: readonly string[] = Object.keys(ERROR_CODES);
