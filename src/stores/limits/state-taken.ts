import type { CountersById } from "./counters.ts";
import type { LimitStatement } from "./limit-messages.ts";
import type { ScopeName } from "./limit-store.ts";
import type { OpenTicket, TakenTicket } from "./open-ticket.ts";
import type { TakenHere } from "./taken-here.ts";

type Stated<T> = T extends readonly (infer Item)[] ? Item[] : never;

const COUNTED = ["requests", "tokens"] as const;

/** Requests in flight are stated one by one, because their tokens are corrected when they end; those that have ended, summed up. */
export function stateTaken(
  taken: Readonly<Record<ScopeName["kind"], CountersById<TakenHere>>>,
  tickets: Iterable<OpenTicket>,
  nowMs: number,
): LimitStatement {
  const open = Array.from(tickets, ({ taken: ticket }) => ticket);
  const inFlight = sumInFlight(open);
  const ended: Stated<LimitStatement["ended"]> = [];
  for (const kind of ["key", "account"] as const) {
    for (const [id, { counters }] of taken[kind].all()) {
      for (const what of COUNTED) {
        for (const [atMs, amount] of counters[what].amounts(nowMs)) {
          const rest = amount - (inFlight.get(momentOf({ kind, id }, atMs))?.[what] ?? 0);
          if (rest > 0) ended.push([kind, id, what, nowMs - atMs, rest]);
        }
      }
    }
  }
  return { ended, open: open.map(({ number, tokens, scopes, atMs }) => [number, nowMs - atMs, tokens, scopes.map(nameOf)]) };
}

/** By scope and time of admission. */
function sumInFlight(open: readonly TakenTicket[]): Map<string, Record<(typeof COUNTED)[number], number>> {
  const sums = new Map<string, Record<(typeof COUNTED)[number], number>>();
  for (const { scopes, atMs, tokens } of open) {
    for (const scope of scopes) {
      const moment = momentOf(scope, atMs);
      const sum = sums.get(moment) ?? { requests: 0, tokens: 0 };
      sums.set(moment, { requests: sum.requests + 1, tokens: sum.tokens + tokens });
    }
  }
  return sums;
}

function momentOf({ kind, id }: ScopeName, atMs: number): string {
  return `${atMs} ${kind} ${id}`;
}

function nameOf({ kind, id }: ScopeName): ScopeName {
  return { kind, id };
}
