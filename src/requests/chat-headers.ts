/** The headers by which a caller says more of a chat completion than its body does. A request that is passed on keeps these. */
export const CHAT_REQUEST_HEADERS = {
  "Idempotency-Key": "The same key with the same body is answered, and charged, once within 24 hours.",
  "x-timeout-ms": "How long to wait for the beginning of the answer at most, in milliseconds. No other upstream is tried after it.",
  "Cache-Control": "Of a model that keeps its answers: `no-cache` for a new one, `no-store` for one that is not kept either.",
  "x-dry-run": "`1` asks what would happen: nothing is called, charged or counted.",
  "x-max-cost": "The most this request may cost, in dollars. An answer that reaches it ends with `finish_reason: length`.",
} as const;

/** The media type of the answer to a dry run. */
export const EXPLANATION_TYPE = "application/vnd.tollgate.explanation+json";
