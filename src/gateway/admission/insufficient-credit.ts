import { ApiError } from "../../requests/api-error.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import type { Headroom } from "../../money/headroom.ts";

/** Most requests in flight end within a few seconds. */
const IN_FLIGHT_SECONDS = 2;

/**
 * The 402 for a request that a credit or a spend cap does not pay for. `describe` makes a sentence from the remaining amount.
 * `isEnoughWhenIdle`: it would pay if no other request held a part of it, so the client should retry.
 */
export function insufficientCredit(headroom: Headroom, isEnoughWhenIdle: boolean, describe: (remaining: string) => string): ApiError {
  const remaining = `${headroom.name} has ${inDollars(headroom.leftNanos)}`;
  if (isEnoughWhenIdle) {
    const held = inDollars(headroom.leftIfIdleNanos - headroom.leftNanos);
    const sentence = describe(`${remaining} left`);
    const message = `${sentence}; another ${held} is held for requests in flight. Please try again in ${IN_FLIGHT_SECONDS}s.`;
    return new ApiError("credits_in_flight", message, { retryAfterSeconds: IN_FLIGHT_SECONDS });
  }
  const shortfall = headroom.spendLimit && { ...headroom.spendLimit, leftNanos: headroom.leftIfIdleNanos };
  if (headroom.kind === "credit") {
    return new ApiError("insufficient_credits", `${describe(`${remaining} of credit left`)}.`, { shortfall });
  }
  const reset =
    headroom.resetsAtMs === undefined
      ? "It does not reset; the operator can raise it."
      : `It resets at ${new Date(headroom.resetsAtMs).toISOString()}.`;
  return new ApiError("budget_exceeded", `${describe(`${remaining} left`)}. ${reset}`, { shortfall });
}

export function inDollars(nanos: Nanos): string {
  return nanos < 0n ? `-$${formatDollars(-nanos)}` : `$${formatDollars(nanos)}`;
}
