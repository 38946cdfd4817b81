import type { Schema } from "../lib/schema/schema.ts";

const text = (description: string): Schema => ({ type: "string", description });

/** The state of the rate limits, on every reply to a valid key. */
export const LIMIT_HEADERS = {
  "x-ratelimit-limit-requests": text("Requests per minute that the key may make, where that is limited."),
  "x-ratelimit-remaining-requests": text("How many of them are left."),
  "x-ratelimit-reset-requests": text("Time until the window is empty: a duration such as `12.5s` or `1m0s`."),
  "x-ratelimit-limit-tokens": text("Tokens per minute that the key may use, where that is limited."),
  "x-ratelimit-remaining-tokens": text("How many of them are left."),
  "x-ratelimit-reset-tokens": text("Time until the window is empty: a duration such as `12.5s` or `1m0s`."),
} as const satisfies Record<string, Schema>;

/** The route of a chat completion, on its answer and on an error after an attempt. */
export const ROUTE_HEADERS = {
  "x-tollgate-upstream": text("The upstream that answered, or was tried last. Operators can turn it off."),
  "x-tollgate-attempts": text("The number of attempts. Operators can turn it off."),
} as const satisfies Record<string, Schema>;

/** Headers of a chat completion that succeeded. */
export const COMPLETION_HEADERS = {
  ...LIMIT_HEADERS,
  ...ROUTE_HEADERS,
  "x-tollgate-cost": text("What a JSON answer cost, in dollars."),
  "x-tollgate-provenance": text("Where its token counts come from: `measured`, `partial` or `estimated`."),
  "x-tollgate-price-version": text("The version of the price it was charged by."),
  "x-tollgate-prompt-derivation": text("How the prompt was estimated, where it was and has media."),
  "x-tollgate-max-tokens": text("The limit that was put on the answer, where it is not the caller's own."),
  "x-tollgate-dropped": text("Parameters of the request that this model's upstream does not support, and that were left out."),
  "x-tollgate-cache": text("Of a model with a response cache: `hit` or `miss`."),
  "x-tollgate-replayed": text("The id of the request that was answered first under this Idempotency-Key."),
  "x-tollgate-shutdown-date": text("Of a deprecated model: the day it is retired, YYYY-MM-DD."),
  "x-tollgate-replacement": text("Of a deprecated model: the model to use instead."),
  "X-Accel-Buffering": text("`no` on a stream: a proxy that understands it does not buffer the stream."),
} as const satisfies Record<string, Schema>;
