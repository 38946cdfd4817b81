import { type NamedRates, readRates, viewRates, WINDOW_LIMITS } from "../../../money/limits.ts";
import { CountedRequest } from "../counters.ts";
import type { ScopeUsage } from "../limit-messages.ts";
import { SharedCounters } from "../shared-counters.ts";

/** The maximum number of moments in a window, so that a row stays small: with many requests in a minute, an amount counts up to 100 ms longer. */
const MAX_MOMENTS = 600;

type SavedLease = readonly [
  process: string,
  number: number,
  slice: NamedRates,
  isRecalled: boolean,
  usage: ScopeUsage | null,
  reportedAtMs: number,
];

type SavedRequest = readonly [process: string, ticket: number, atMs: number, tokens: number];

/** The counters of a scope in a row of the database. Times are by the database's clock. */
interface SavedCounters {
  /** By `WINDOW_LIMITS`. */
  readonly windows: readonly (readonly number[] | null)[];
  readonly leases: readonly SavedLease[];
  readonly open: readonly SavedRequest[];
  readonly noLeasesBeforeMs: number;
}

export function saveCounters({ counters, leases, open, noLeasesBeforeMs }: SharedCounters, nowMs: number): string {
  const saved: SavedCounters = {
    windows: counters.windows.map((window) => window?.save(nowMs, MAX_MOMENTS) ?? null),
    leases: Array.from(leases, ([process, { number, slice, isRecalled, reported }]): SavedLease => [
      process,
      number,
      viewRates(slice),
      isRecalled,
      reported?.usage ?? null,
      reported?.atMs ?? 0,
    ]),
    open: Array.from(open).flatMap(([process, requests]) =>
      Array.from(requests, ([ticket, { atMs, tokens }]): SavedRequest => [process, ticket, atMs, tokens]),
    ),
    noLeasesBeforeMs,
  };
  return JSON.stringify(saved);
}

export function loadCounters(text: string, nowMs: number): SharedCounters {
  const shared = new SharedCounters();
  if (text === "") return shared;
  const { windows, leases, open, noLeasesBeforeMs } = JSON.parse(text) as SavedCounters;
  const { counters } = shared;
  for (const at of WINDOW_LIMITS.keys()) if (windows[at]) counters.windowAt(at).load(windows[at]);
  counters.concurrent = open.length;
  shared.noLeasesBeforeMs = noLeasesBeforeMs;
  for (const [process, number, slice, isRecalled, usage, atMs] of leases) {
    shared.leases.set(process, { number, slice: readRates(slice), isRecalled, reported: usage ? { usage, atMs } : undefined });
  }
  for (const [process, ticket, atMs, estimate] of open) {
    const counted = new CountedRequest(counters);
    for (const [at, { counts }] of WINDOW_LIMITS.entries()) {
      if (windows[at]) counted.add(counts, counters.windowAt(at).takenAt(atMs, counts === "tokens" ? estimate : 1, nowMs));
    }
    if (!shared.open.has(process)) shared.open.set(process, new Map());
    shared.open.get(process)!.set(ticket, { atMs, counted, tokens: estimate });
  }
  return shared;
}
