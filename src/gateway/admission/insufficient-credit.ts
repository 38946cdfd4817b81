import { ApiError } from "../../requests/api-error.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import type { Headroom } from "../../money/headroom.ts";

/** The codes of the 402s. */
export const CREDIT_CODES: ReadonlySet<string> = new Set(["insufficient_credits", "budget_exceeded", "credits_in_flight"]);

/** Most requests in flight end within a few seconds. */
const IN_FLIGHT_SECONDS = 2;

/**
 * The 402 for a request that a credit or a spend cap does not pay for. `describe` makes a sentence from the remaining amount.
 * `isEnoughWhenIdle`: it would pay if no other request held a part of it, so the client should retry. The amounts of an account may be hidden:
 * they show what other keys spend.
 */
export function insufficientCredit(headroom: Headroom, isEnoughWhenIdle: boolean, describe: (remaining: string) => string): ApiError {
  const { isHidden } = headroom;
  const remaining = `${headroom.name} has ${isHidden ? "too little" : inDollars(headroom.leftNanos)}`;
  if (isEnoughWhenIdle) {
    const held = isHidden ? "more" : `another ${inDollars(headroom.leftIfIdleNanos - headroom.leftNanos)}`;
    const sentence = describe(`${remaining} left`);
    const message = `${sentence}; ${held} is held for requests in flight. Please try again in ${IN_FLIGHT_SECONDS}s.`;
    return new ApiError("credits_in_flight", message, { retryAfterSeconds: IN_FLIGHT_SECONDS });
  }
  const shortfall = headroom.spendLimit && { ...headroom.spendLimit, leftNanos: headroom.leftIfIdleNanos };
  if (headroom.kind === "credit") {
    return new ApiError("insufficient_credits", `${describe(`${remaining} ${isHidden ? "" : "of "}credit left`)}.`, { shortfall });
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
