import type { CountersById } from "./counters.ts";
import type { Amounts, LimitStatement } from "./limit-messages.ts";
import type { ScopeName } from "./limit-store.ts";
import type { OpenTicket, TakenTicket } from "./open-ticket.ts";
import type { RateWindow } from "./rate-window.ts";
import type { TakenHere } from "./taken-here.ts";

/** What the requests in flight of one scope have taken, by the times of their admission. */
interface InFlight {
  readonly requests: Map<number, number>;
  readonly tokens: Map<number, number>;
}

const NONE: InFlight = { requests: new Map(), tokens: new Map() };

/** Requests in flight are stated one by one, because their tokens are corrected when they end; those that have ended, summed up. */
export function stateTaken(
  taken: Readonly<Record<ScopeName["kind"], CountersById<TakenHere>>>,
  tickets: Iterable<OpenTicket>,
  nowMs: number,
): LimitStatement {
  const open = Array.from(tickets, ({ taken: ticket }) => ticket);
  const inFlight = { key: sumInFlight("key", open), account: sumInFlight("account", open) };
  const stateEnded = (kind: ScopeName["kind"]): LimitStatement["ended"] =>
    Array.from(taken[kind].all(), ([id, { counters }]) => {
      const { requests, tokens } = inFlight[kind].get(id) ?? NONE;
      return [kind, id, endedIn(counters.requests, requests, nowMs), endedIn(counters.tokens, tokens, nowMs)] as const;
    });
  return {
    ended: [...stateEnded("key"), ...stateEnded("account")],
    open: open.map(({ number, tokens, scopes, atMs }) => [number, nowMs - atMs, tokens, scopes.map(({ kind, id }) => ({ kind, id }))]),
  };
}

function endedIn(window: RateWindow, inFlight: ReadonlyMap<number, number>, nowMs: number): Amounts {
  const amounts: [ageMs: number, amount: number][] = [];
  for (const [atMs, amount] of window.amounts(nowMs)) {
    const ended = amount - (inFlight.get(atMs) ?? 0);
    if (ended > 0) amounts.push([nowMs - atMs, ended]);
  }
  return amounts;
}

/** By the ids of scopes. */
function sumInFlight(kind: ScopeName["kind"], open: readonly TakenTicket[]): Map<string, InFlight> {
  const sums = new Map<string, InFlight>();
  for (const { scopes, atMs, tokens } of open) {
    for (const scope of scopes) {
      if (scope.kind !== kind) continue;
      let sum = sums.get(scope.id);
      if (!sum) sums.set(scope.id, (sum = { requests: new Map(), tokens: new Map() }));
      sum.requests.set(atMs, (sum.requests.get(atMs) ?? 0) + 1);
      sum.tokens.set(atMs, (sum.tokens.get(atMs) ?? 0) + tokens);
    }
  }
  return sums;
}
