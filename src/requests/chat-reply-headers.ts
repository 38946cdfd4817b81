import type { Schema } from "../lib/schema/schema.ts";
import { WINDOW_LIMITS, type WindowLimit } from "../money/limits.ts";
import { textSchema } from "../lib/schema/text-schema.ts";

/** The state of the rate limits, on every reply to a valid key. */
export const LIMIT_HEADERS: Readonly<Record<string, Schema>> = Object.fromEntries(
  WINDOW_LIMITS.flatMap((limit) => {
    const [most, remaining, reset] = limitHeaders(limit);
    return [
      [most, textSchema(`${limit.label} of the key, if limited.`)],
      [remaining, textSchema("How many of them are left.")],
      [reset, textSchema("Time until the window is empty: a duration such as `12.5s` or `1m0s`.")],
    ];
  }),
);

/** The names of a limit's headers. */
export function limitHeaders({ what }: WindowLimit): readonly [limit: string, remaining: string, reset: string] {
  const suffix = what.replaceAll("_", "-");
  return [`x-ratelimit-limit-${suffix}`, `x-ratelimit-remaining-${suffix}`, `x-ratelimit-reset-${suffix}`];
}

/** The route of a chat completion, on its response and on an error after an attempt. */
export const ROUTE_HEADERS = {
  "x-tollgate-upstream": textSchema("The upstream of the response, or of the last attempt. Operators can turn it off."),
  "x-tollgate-attempts": textSchema("The number of attempts. Operators can turn it off."),
} as const satisfies Record<string, Schema>;

/** The remaining credit for the next request, on the response to an admitted request and on a 402. */
export const REMAINING_HEADERS = {
  "x-tollgate-credit-remaining": textSchema(
    "The account's remaining credit in dollars, with its credit line, as of the admission of this request and after its hold. Accounts can turn it off. Absent for an account with an unlimited credit line.",
  ),
  "x-tollgate-cap-remaining": textSchema(
    "The remaining amount of the tightest spend cap of the key, its account, the end user and the tags, likewise. Absent if there is none. Accounts can turn it off.",
  ),
} as const satisfies Record<string, Schema>;

/** A header of every reply in the Messages format. */
export const MESSAGES_HEADERS = {
  "request-id": textSchema("The same as `x-request-id`, by the name that clients of Anthropic read."),
} as const satisfies Record<string, Schema>;

/** Headers of a response in the Responses format, if the upstream has sent them. */
export const RESPONSES_HEADERS = {
  "x-codex-turn-state": textSchema("Codex sends it back with the other requests of its turn. Only valid for the same account."),
  "x-reasoning-included": textSchema("That the token counts include the reasoning of earlier turns."),
} as const satisfies Record<string, Schema>;

/** Headers of a chat completion that succeeded. */
export const COMPLETION_HEADERS = {
  ...LIMIT_HEADERS,
  ...ROUTE_HEADERS,
  ...REMAINING_HEADERS,
  "x-tollgate-model": textSchema("The model that answered, if it was a fallback of the requested model."),
  "x-tollgate-cost": textSchema("The cost of a JSON response, in dollars."),
  "x-tollgate-provenance": textSchema("Where its token counts come from: `measured`, `partial` or `estimated`."),
  "x-tollgate-price-version": textSchema("The version of the price that was charged."),
  "x-tollgate-prompt-derivation": textSchema("How the prompt tokens were estimated, for an estimated prompt with media."),
  "x-tollgate-max-tokens": textSchema("The max output tokens that the gateway set, if they differ from the caller's."),
  "x-tollgate-dropped": textSchema("Request parameters that were dropped, because the model's upstream does not support them."),
  "x-tollgate-cache": textSchema("For a model with a response cache: `hit` or `miss`."),
  "x-tollgate-replayed": textSchema("The id of the first request with this Idempotency-Key, whose response is replayed."),
  "x-tollgate-shutdown-date": textSchema("For a deprecated model: its shutdown date, YYYY-MM-DD."),
  "x-tollgate-replacement": textSchema("For a deprecated model: the model to use instead."),
  "X-Accel-Buffering": textSchema("`no` on a stream: a proxy that understands it does not buffer the stream."),
} as const satisfies Record<string, Schema>;
