import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { endedRequest, type EndedSketch } from "../../../test/request-log/ended-requests.ts";
import { expectStatistics } from "../../../test/request-log/plain-statistics.ts";
import { runs } from "../../../test/support/long.ts";
import { bucketsBetween, QUARTER_MS } from "../../lib/time/calendar.ts";
import type { LoggedRequest } from "../../requests/logged-request.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import { TimeZone } from "../../lib/time/time-zone.ts";
import type { RequestLogFixture } from "./request-log-store.contract.ts";
import type { RequestLogStore, RequestStatisticsQuery } from "./request-log-store.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.parse("2026-10-03T00:00:00Z");
const END_MS = Date.parse("2026-10-26T00:00:00Z");
/** At these times clocks are set forward by half an hour on Lord Howe Island, and back by an hour in Berlin. */
const TIMES = [
  { min: START_MS, max: START_MS + 40 * HOUR_MS },
  { min: END_MS - 40 * HOUR_MS, max: END_MS - 1 },
];
const ZONES = ["UTC", "Australia/Lord_Howe", "Asia/Kathmandu", "Europe/Berlin", "America/St_Johns"];

const endings = fc.constantFrom<Pick<EndedSketch, "status" | "notes">>(
  { notes: {} },
  { notes: { isStream: false } },
  { notes: { replayed: "idempotency" } },
  { notes: { isDryRun: true } },
  { status: 429, notes: { code: "rate_limit_exceeded", begunAt: undefined } },
  { status: 402, notes: { code: "insufficient_credits", begunAt: undefined } },
  { status: 502, notes: { code: "upstream_error", begunAt: undefined } },
  { notes: { end: "failed", code: "upstream_error" } },
  { status: 499, notes: { end: "caller_gone" } },
);

const request = fc
  .record({
    atMs: fc.oneof(...TIMES.map((span) => fc.integer(span))),
    ending: endings,
    account: fc.constantFrom("acme", "beta", "0", undefined),
    model: fc.constantFrom("fast", "slow", "toString", "", undefined),
    tookMs: fc.double({ min: Math.log(0.2), max: Math.log(3_000_000), noNaN: true }).map(Math.exp),
  })
  .map(({ atMs, ending, account, model, tookMs }): EndedRequest => {
    const notes = Object.assign({ accountId: account, requestedModel: model, begunAt: 5000 + tookMs / 2 }, ending.notes);
    return { ...endedRequest({ ...ending, endedAtMs: atMs, notes }), endedAt: 5000 + tookMs };
  });

const question = fc
  .record({
    zone: fc.constantFrom(...ZONES).map((name) => TimeZone.find(name)!),
    unit: fc.constantFrom("hour" as const, "day" as const, undefined),
    fromMs: fc.oneof(...TIMES.map((span) => fc.integer(span))).map((ms) => Math.floor(ms / QUARTER_MS) * QUARTER_MS),
    quarters: fc.oneof(fc.integer({ min: 1, max: 160 }), fc.integer({ min: 1, max: 2000 })),
    accountId: fc.constantFrom("acme", "beta", "0", "", undefined),
    model: fc.constantFrom("fast", "slow", "toString", "", undefined),
  })
  .map(({ zone, unit, fromMs, quarters, accountId, model }): RequestStatisticsQuery => {
    const toMs = fromMs + quarters * QUARTER_MS;
    const buckets = unit ? bucketsBetween(unit, fromMs, toMs, zone) : [];
    return { bounds: [fromMs, ...buckets.slice(1).map((bucket) => bucket.fromMs), toMs], accountId, model };
  });

/** Contract tests of request statistics for every implementation of this port. */
export function requestStatisticsContract(name: string, open: (nowMs: () => number) => Promise<RequestLogFixture>): void {
  describe(`${name} adds up requests`, () => {
    let fixture: RequestLogFixture;
    let store: RequestLogStore;
    beforeEach(async () => {
      fixture = await open(() => END_MS);
      ({ store } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    test("an empty log has none", async () => {
      const { rows, total, retainedFromMs } = await store.statistics({ bounds: [START_MS, END_MS] });
      expect([rows, retainedFromMs]).toEqual([[], null]);
      expectStatistics({ rows, total, retainedFromMs }, [], { bounds: [START_MS, END_MS] });
    });

    test("exactly, in every time zone, by account and model, even after a restart", async () => {
      const steps = fc.array(
        fc.oneof(
          { weight: 6, arbitrary: fc.array(request, { minLength: 1, maxLength: 150 }).map((noted) => ({ noted })) },
          { weight: 3, arbitrary: question.map((asked) => ({ asked })) },
          { weight: 1, arbitrary: fc.constant({ reopen: true }) },
        ),
        { minLength: 3, maxLength: 8 },
      );
      const property = fc.asyncProperty(steps, fc.array(question, { minLength: 5, maxLength: 5 }), async (history, last) => {
        await fixture.cleanUp();
        fixture = await open(() => END_MS);
        ({ store } = fixture);
        for (const step of [...history, ...last.map((asked) => ({ asked }))]) {
          if ("noted" in step) for (const each of step.noted.toSorted((a, b) => a.endedAtMs - b.endedAtMs)) store.note(each);
          else if ("asked" in step) expectStatistics(await store.statistics(step.asked), await allIn(store), step.asked);
          else store = await fixture.reopen();
        }
      });
      await fc.assert(property, runs(6));
    }, 60_000);

    test("however often the same quarter hour is written", async () => {
      for (let round = 0; round < 5; round++) {
        for (let at = 0; at < 700; at++) {
          store.note(
            endedRequest({ endedAtMs: START_MS + at * 1000, notes: { accountId: `a-${at % 350}`, requestedModel: `m-${at % 7}` } }),
          );
        }
        if (round % 2 === 1) store = await fixture.reopen();
      }
      const noted = await allIn(store);
      expect(noted).toHaveLength(3500);
      for (const asked of [{}, { accountId: "a-17" }, { model: "m-3" }, { accountId: "a-17", model: "m-3" }]) {
        const full = { bounds: [START_MS, START_MS + QUARTER_MS], ...asked };
        expectStatistics(await store.statistics(full), noted, full);
      }
    });

    test("and reports the start of retention", async () => {
      store.note(endedRequest({ endedAtMs: END_MS - 2 * 24 * HOUR_MS - 5 }));
      const { retainedFromMs } = await store.statistics({ bounds: [START_MS, END_MS] });
      expect(retainedFromMs).toBe(END_MS - 3 * 24 * HOUR_MS);
    });
  });
}

async function allIn(store: RequestLogStore): Promise<LoggedRequest[]> {
  return (await store.list({}, undefined, "newer", 100_000)).map(({ request: each }) => each);
}
