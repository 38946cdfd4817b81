import type { Model } from "../../models/catalog.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import { highestCost, type Price } from "../../money/price.ts";
import { fitsInto, fitsWhenIdle, tightestFirst, type Headroom } from "../../money/headroom.ts";
import { affordableMaxTokens, fullHold, shortened, type HoldSize, type RequestSize } from "./hold.ts";
import { inDollars, moneyRefusal } from "./insufficient-credit.ts";

/**
 * The hold for a request, made to fit into every room. An answer whose length the caller left open is kept to what is there to
 * pay for it, as is one that hits the caller's own `x-max-cost`; a length the caller asked for is granted in full or refused.
 */
export function fitHold(size: RequestSize, model: Model, price: Price, rooms: readonly Headroom[]): HoldSize {
  let hold = fullHold(size, model, price);
  for (const room of rooms.toSorted(ownBoundThenTightest)) {
    if (fitsInto(room, hold.amountNanos)) continue;
    const mayShorten = size.wantedOutput === undefined || room.kind === "max_cost";
    const shorter = mayShorten ? shortened(hold, size, price, room.leftNanos) : undefined;
    if (!shorter) throw refusal(hold, size, price, room);
    hold = shorter;
  }
  return hold;
}

/** What the caller itself is willing to pay shortens before anything refuses; what a refusal offers fits into every other room. */
function ownBoundThenTightest(a: Headroom, b: Headroom): number {
  return Number(b.kind === "max_cost") - Number(a.kind === "max_cost") || tightestFirst(a, b);
}

function refusal(hold: HoldSize, size: RequestSize, price: Price, room: Headroom): GatewayError {
  const needed = `This request may cost up to $${formatDollars(hold.amountNanos)}`;
  const enough = whatFor(room.leftNanos, size, price);
  if (room.kind === "max_cost") {
    return new GatewayError("budget_exceeded", `${needed}, and its x-max-cost is ${inDollars(room.leftNanos)}, ${enough}.`, {
      param: "x-max-cost",
    });
  }
  return moneyRefusal(room, isEnoughWhenIdle(hold, size, price, room), (left) => `${needed}, and ${left}, ${enough}`);
}

/** Whether the same request would be let in if nothing else were under way. */
function isEnoughWhenIdle(hold: HoldSize, size: RequestSize, price: Price, room: Headroom): boolean {
  if (room.leftIfIdleNanos === room.leftNanos) return false;
  if (fitsWhenIdle(room, hold.amountNanos)) return true;
  return size.wantedOutput === undefined && shortened(hold, size, price, room.leftIfIdleNanos) !== undefined;
}

/** What an amount is enough for, or what would be enough. */
function whatFor(left: Nanos, size: RequestSize, price: Price): string {
  const maxTokens = affordableMaxTokens(left, size, price);
  if (maxTokens >= 1) return `which would pay for max_tokens: ${maxTokens}`;
  const least = highestCost(size.inputTokens, size.choices, price);
  return `which does not pay for the prompt: $${formatDollars(least)} would, with the shortest answer`;
}
