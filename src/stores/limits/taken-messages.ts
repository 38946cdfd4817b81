import { WINDOW_LIMITS, type WindowLimit } from "../../money/limits.ts";
import type { Amounts, TakenMessage, WindowAmounts } from "./limit-messages.ts";
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
  return all.map(({ scope, windows }, at): TakenMessage => {
    const inFlight = open.get(all[at]!)!;
    const ended = WINDOW_LIMITS.map(({ counts }, of) => endedIn(windows[of], inFlight, counts, nowMs));
    return { ...scope, ended, open: inFlight.map(({ number, tokens, atMs }) => ({ ticket: number, ageMs: nowMs - atMs, tokens })) };
  });
}

function endedIn(
  window: RateWindow | undefined,
  inFlight: readonly OpenTicket[],
  counts: WindowLimit["counts"],
  nowMs: number,
): WindowAmounts {
  if (!window) return null;
  const open = new Map<number, number>();
  for (const { atMs, tokens } of inFlight) {
    const moment = window.momentOf(atMs);
    open.set(moment, (open.get(moment) ?? 0) + (counts === "tokens" ? tokens : 1));
  }
  const amounts: [ageMs: number, amount: number][] = [];
  for (const [atMs, amount] of window.amounts(nowMs)) {
    const ended = amount - (open.get(atMs) ?? 0);
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
