import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { EndedSketch } from "../../../test/request-log/ended-requests.ts";
import type { LogPosition, RequestFilter, RequestLogStore } from "./request-log-store.ts";

const ACCOUNTS = ["acme", "beta", "gamma"] as const;
const HOUR_MS = 3_600_000;

/** A log with a manual clock. */
export interface PagedLog {
  nowMs: number;
  readonly store: RequestLogStore;
  /** Notes requests, and returns their ids. */
  note(...sketches: readonly EndedSketch[]): string[];
  reopen(): Promise<void>;
  remove(): Promise<void>;
}

interface NotedRequest {
  readonly id: string;
  readonly accountId: string;
  readonly status: number;
  readonly endedAtMs: number;
}

/** A client that reads page after page, from one end to the other. */
interface Reader {
  readonly filter: RequestFilter;
  readonly direction: "older" | "newer";
  readonly limit: number;
  /** The number of noted requests when it began to read. */
  begunAt: number;
  readonly met: string[];
  position: LogPosition | undefined;
  hasEnded: boolean;
}

const filters = fc.record(
  {
    accountId: fc.constantFrom(...ACCOUNTS, "nobody"),
    status: fc.constantFrom(200, 429),
    fromMs: fc.integer({ min: 0, max: 100 }).map((hours) => hours * HOUR_MS),
    toMs: fc.integer({ min: 0, max: 200 }).map((hours) => hours * HOUR_MS),
  },
  { requiredKeys: [] },
);

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("note" as const), count: fc.integer({ min: 1, max: 120 }), seed: fc.nat() }) },
    // The clock advances by minutes or days, and is sometimes set back a little, mostly around midnight.
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("pass" as const),
        minutes: fc.oneof(fc.integer({ min: -25, max: 1500 }), fc.constantFrom(-25, 711, 720, 725, 1440)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("begin" as const),
        filter: filters,
        direction: fc.constantFrom("older" as const, "newer" as const),
        limit: fc.integer({ min: 1, max: 60 }),
      }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("read" as const), reader: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("reopen" as const) }) },
  ),
  { minLength: 10, maxLength: 60 },
);

/** Contract tests of pages, for every implementation of this port, while requests are written and clocks are set. */
export function logPagesContract(name: string, open: () => PagedLog, numRuns: number): void {
  test(`${name}: paging returns each request once, in order, while more are written`, async () => {
    const once = fc.asyncProperty(steps, async (history) => {
      const log = open();
      try {
        const startMs = log.nowMs;
        const noted: NotedRequest[] = [];
        const readers: Reader[] = [];
        for (const step of history) {
          if (step.kind === "note") noted.push(...note(log, step.count, step.seed));
          else if (step.kind === "pass") log.nowMs += step.minutes * 60_000;
          else if (step.kind === "reopen") await log.reopen();
          else if (step.kind === "begin") {
            const filter = shifted(step.filter, startMs);
            readers.push({ ...step, filter, begunAt: noted.length, met: [], position: undefined, hasEnded: false });
          } else if (readers.length > 0) await readPage(log, readers[step.reader % readers.length]!, noted.length);
        }
        for (const reader of readers) {
          for (reader.hasEnded = false; !reader.hasEnded;) await readPage(log, reader, noted.length);
          expect(reader.met).toEqual(expected(reader, noted));
        }
      } finally {
        await log.remove();
      }
    });
    await fc.assert(once, { numRuns });
  }, 300_000);
}

function note(log: PagedLog, count: number, seed: number): NotedRequest[] {
  return Array.from({ length: count }, (_, at) => {
    const accountId = ACCOUNTS[(seed + at * 7) % ACCOUNTS.length]!;
    const status = (seed + at) % 5 === 0 ? 429 : 200;
    const [id] = log.note({ status, notes: { accountId } });
    return { id: id!, accountId, status, endedAtMs: log.nowMs };
  });
}

function shifted(filter: RequestFilter, startMs: number): RequestFilter {
  const { fromMs, toMs } = filter;
  return { ...filter, fromMs: fromMs === undefined ? undefined : startMs + fromMs, toMs: toMs === undefined ? undefined : startMs + toMs };
}

async function readPage(log: PagedLog, reader: Reader, notedCount: number): Promise<void> {
  if (!reader.position) reader.begunAt = notedCount;
  const page = await log.store.list(reader.filter, reader.position, reader.direction, reader.limit);
  reader.met.push(...page.map(({ request }) => request.requestId));
  reader.position = page.at(-1)?.position ?? reader.position;
  reader.hasEnded = page.length === 0;
}

/** The requests that a reader must have read: forward all that match, backward those that existed when it began. */
function expected({ filter, direction, begunAt }: Reader, noted: readonly NotedRequest[]): string[] {
  const there = direction === "newer" ? noted : noted.slice(0, begunAt).toReversed();
  const fits = there.filter(({ accountId, status, endedAtMs }) => {
    if (filter.accountId !== undefined && accountId !== filter.accountId) return false;
    if (filter.status !== undefined && status !== filter.status) return false;
    return endedAtMs >= (filter.fromMs ?? -Infinity) && endedAtMs < (filter.toMs ?? Infinity);
  });
  return fits.map(({ id }) => id);
}
