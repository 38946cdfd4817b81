import type { Amounts, OpenMessage, TakenMessage } from "./limit-messages.ts";
import type { OpenTicket } from "./open-ticket.ts";
import type { RateWindow } from "./rate-window.ts";
import type { OwnCounters } from "./slice.ts";

/**
 * Above this number of moments, the moments of each 50 ms are stated as their last one: they count up to 50 ms longer, and a message stays
 * small.
 */
const MAX_MOMENTS = 1200;
const COARSE_MS = 50;

/** States requests in flight one by one, because their tokens are corrected when they end, and ended requests as sums. */
export function toTakenMessages(all: readonly OwnCounters[], tickets: Iterable<OpenTicket>, nowMs: number): TakenMessage[] {
  const open = new Map<OwnCounters, OpenTicket[]>(all.map((counters) => [counters, []]));
  for (const ticket of tickets) for (const counters of ticket.counters) open.get(counters)?.push(ticket);
  return all.map(({ scope, requests, tokens }, at): TakenMessage => {
    const inFlight = open.get(all[at]!)!;
    return [
      scope.kind,
      scope.id,
      endedIn(
        requests,
        sumByTime(inFlight, () => 1),
        nowMs,
      ),
      endedIn(
        tokens,
        sumByTime(inFlight, (ticket) => ticket.tokens),
        nowMs,
      ),
      inFlight.map(({ number, tokens: estimate, atMs }): OpenMessage => [number, nowMs - atMs, estimate]),
    ];
  });
}

function endedIn(window: RateWindow, inFlight: ReadonlyMap<number, number>, nowMs: number): Amounts {
  const amounts: [ageMs: number, amount: number][] = [];
  for (const [atMs, amount] of window.amounts(nowMs)) {
    const ended = amount - (inFlight.get(atMs) ?? 0);
    if (ended > 0) amounts.push([nowMs - atMs, ended]);
  }
  return amounts.length > MAX_MOMENTS ? mergeMoments(amounts) : amounts;
}

function mergeMoments(amounts: Amounts): Amounts {
  const sums: [ageMs: number, amount: number][] = [];
  for (const [ageMs, amount] of amounts) {
    const last = sums.at(-1);
    if (last && Math.floor(last[0] / COARSE_MS) === Math.floor(ageMs / COARSE_MS)) {
      last[0] = ageMs;
      last[1] += amount;
    } else sums.push([ageMs, amount]);
  }
  return sums;
}

/** Sums by the times of admission. */
function sumByTime(tickets: readonly OpenTicket[], amountOf: (ticket: OpenTicket) => number): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const ticket of tickets) sums.set(ticket.atMs, (sums.get(ticket.atMs) ?? 0) + amountOf(ticket));
  return sums;
}
