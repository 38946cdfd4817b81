import { GatewayError } from "../../requests/gateway-error.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import type { Headroom } from "../../money/headroom.ts";

/** When requests under way may have ended: most take a few seconds. */
const IN_FLIGHT_SECONDS = 2;

/**
 * Rejects a request by the credit or the budget that does not pay for it. `tell` makes a sentence of how much that has left.
 * `isEnoughIfIdle`: it would pay if no other request held a part of it.
 */
export function moneyRefusal(room: Headroom, isEnoughIfIdle: boolean, tell: (left: string) => string): GatewayError {
  const left = `${room.name} has ${inDollars(room.leftNanos)}`;
  if (isEnoughIfIdle) {
    const held = inDollars(room.leftIfIdleNanos - room.leftNanos);
    const message = `${tell(`${left} left`)}; another ${held} is held for requests under way. Please try again in ${IN_FLIGHT_SECONDS}s.`;
    return new GatewayError("credits_in_flight", message, { retryAfterSeconds: IN_FLIGHT_SECONDS });
  }
  const shortfall = room.purse && { ...room.purse, leftNanos: room.leftIfIdleNanos };
  if (room.kind === "credit") return new GatewayError("insufficient_credits", `${tell(`${left} of credit left`)}.`, { shortfall });
  const reset =
    room.resetsAtMs === undefined
      ? "It does not reset; the operator can raise it."
      : `It resets at ${new Date(room.resetsAtMs).toISOString()}.`;
  return new GatewayError("budget_exceeded", `${tell(`${left} left`)}. ${reset}`, { shortfall });
}

export function inDollars(nanos: Nanos): string {
  return nanos < 0n ? `-$${formatDollars(-nanos)}` : `$${formatDollars(nanos)}`;
}
