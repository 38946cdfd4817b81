interface CodeWords {
  readonly title: string;
  readonly what: string;
  readonly advice: string;
}

/** What each code of docs/errors.md means to whoever looks at a request, and what to do about it. */
export const CODE_WORDS: Readonly<Record<string, CodeWords>> = {
  invalid_json: {
    title: "Not JSON",
    what: "The body was not a JSON object in UTF-8.",
    advice: "Mend the body that the caller sends.",
  },
  missing_required_parameter: {
    title: "A field is missing",
    what: "A field that is required was not there.",
    advice: "Add it to the request.",
  },
  invalid_value: {
    title: "A field is wrong",
    what: "A field had a wrong type or value, or the upstream refused the request as malformed.",
    advice: "Mend the field. The message that the caller got says what it may be.",
  },
  unsupported_parameter: {
    title: "A parameter is not supported",
    what: "No route of the model can carry one of the parameters, and it must not be left out in silence.",
    advice: "Leave it out, or use a model that takes it.",
  },
  context_length_exceeded: {
    title: "The prompt is too long",
    what: "The upstream says that the prompt is longer than the model takes.",
    advice: "Send less, or use a model with a larger context window.",
  },
  content_policy_violation: {
    title: "The prompt was refused",
    what: "The upstream refused the prompt by its own rules.",
    advice: "Change the prompt.",
  },
  invalid_api_key: {
    title: "No valid key",
    what: "There was no key, or it is malformed, unknown, expired or revoked.",
    advice: "Have the caller send a key that works, as “Authorization: Bearer …”.",
  },
  insufficient_credits: {
    title: "Not enough credit",
    what: "The account's credit did not pay for the most that this request could cost. Nothing was sent to an upstream, and nothing was charged.",
    advice: "Grant credit to the account, or ask for less with max_tokens.",
  },
  credits_in_flight: {
    title: "Credit is held by other requests",
    what: "There was enough, but a part of it was held for requests under way. Nothing was charged.",
    advice: "Try again in a few seconds, ask for less with max_tokens, or grant more credit.",
  },
  budget_exceeded: {
    title: "Over budget",
    what: "A cap of the key or of its account, or the caller's own x-max-cost, did not pay for this request. Nothing was charged.",
    advice: "Raise the cap, wait for the new day or month, or ask for less with max_tokens.",
  },
  model_not_allowed: {
    title: "The model is not allowed",
    what: "The key may not call this model, there is no such model, or it has no price.",
    advice: "Use a model that the key may call, or let the key call this one.",
  },
  model_retired: {
    title: "The model was retired",
    what: "The model is no longer served.",
    advice: "Use its replacement.",
  },
  unknown_url: {
    title: "Nothing at this address",
    what: "The path is not one of the gateway's.",
    advice: "Check the caller's base address: it ends in /v1.",
  },
  method_not_allowed: {
    title: "Wrong method",
    what: "The path is right and the HTTP method is not.",
    advice: "Use POST for chat completions.",
  },
  request_too_large: {
    title: "The request is too large",
    what: "The body or the headers are larger than the gateway or the upstream takes.",
    advice: "Send less, or raise TOLLGATE_MAX_BODY_BYTES.",
  },
  unsupported_media_type: {
    title: "Not plain JSON",
    what: "The body is not application/json, or it is compressed.",
    advice: "Send plain JSON.",
  },
  rate_limit_exceeded: {
    title: "Over a limit",
    what: "The key or its account has reached its requests or tokens in a minute, or its requests at a time; or the upstream says that this one request is too large for its own limit.",
    advice: "Send fewer at once, or raise the limit of the key or the account.",
  },
  internal_error: {
    title: "A fault of the gateway",
    what: "The gateway itself failed.",
    advice: "Report the request id. The gateway's own log has more under it.",
  },
  upstream_error: {
    title: "The upstream failed",
    what: "The upstream failed, broke off, gave something that is no answer, or refused the credential or quota that it was called with.",
    advice: "Try again. If it stays, look at the upstream's health and its credential.",
  },
  overloaded: {
    title: "Too busy",
    what: "The upstream was busy or throttles the gateway, or the gateway itself had too much to do.",
    advice: "Try again in a while, or add a route or a credential.",
  },
  no_upstream_available: {
    title: "No upstream could be reached",
    what: "No route of the model could be used: upstreams were not reachable, or are left out for a while. Nothing was sent, so another try is safe.",
    advice: "Look at the health of the upstreams, or add a route.",
  },
  upstream_timeout: {
    title: "The upstream took too long",
    what: "The upstream did not answer in time. The work may have been done there all the same.",
    advice: "Ask for less at once, or allow the upstream more time.",
  },
};

export const CODES: readonly string[] = Object.keys(CODE_WORDS);
