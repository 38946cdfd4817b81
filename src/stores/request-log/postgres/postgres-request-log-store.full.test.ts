import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { LogInPostgres } from "../../../../test/request-log/log-in-postgres.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import { CapturedBodies } from "../../../requests/captured-bodies.ts";
import type { Attempt } from "../../../requests/attempt.ts";
import type { RequestFilter } from "../request-log-store.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { QUARTER_MS } from "../../../lib/time/calendar.ts";
import { logPagesContract } from "../log-pages.contract.ts";
import { requestLogStoreContract, type RequestLogFixture } from "../request-log-store.contract.ts";
import { requestStatisticsContract } from "../request-statistics.contract.ts";
import { scanningContract } from "../scanning.contract.ts";
import { TRUST_AFTER_MS } from "../trusted-wall-clock.ts";
import { LogPartitions } from "./log-partitions.ts";
import type { PostgresRequestLogOptions } from "./postgres-request-log-store.ts";

const TODAY = "2027-01-31";
const DAY_MS = 24 * 60 * 60 * 1000;
const MIDNIGHT_MS = Date.parse("2027-02-01");
const MIB = 1024 ** 2;

/** A redaction hook that hides a name, and rejects or fails on demand. */
const redact: NonNullable<PostgresRequestLogOptions["redact"]> = async ({ request, reply }) => {
  if (request === "fail") throw new Error("no");
  return request === "forget" ? null : { request: request!.replaceAll("Alice", "[name]"), reply };
};

describe.skipIf(!hasPostgres)("PostgresRequestLogStore", () => {
  const postgres = postgresFixture();
  let pool: PostgresPool;
  let otherPool: PostgresPool;
  beforeAll(async () => {
    const open = await postgres.open();
    ({ pool } = open);
    ({ pool: otherPool } = await postgres.open(open.url));
  });

  async function openLog(nowMs: () => number): Promise<RequestLogFixture> {
    const log = new LogInPostgres(pool, { nowMs });
    return {
      store: log.store,
      async reopen() {
        await log.reopen();
        return log.store;
      },
      cleanUp: () => log.remove(),
    };
  }

  requestLogStoreContract("PostgresRequestLogStore", openLog);
  requestStatisticsContract("PostgresRequestLogStore", openLog);
  scanningContract("PostgresRequestLogStore", openLog);
  logPagesContract("PostgresRequestLogStore", () => new LogInPostgres(pool), 8);

  describe("in one process", () => {
    let log: LogInPostgres;
    beforeEach(() => {
      log = new LogInPostgres(pool, { days: 3 });
    });
    afterEach(() => log.remove());

    test("has tables for today and tomorrow before anything is written", async () => {
      await eventually(
        () => log.days(),
        (days) => days.join() === "2027-01-31,2027-02-01",
      );
      log.pass(DAY_MS);
      await eventually(
        () => log.days(),
        (days) => days.includes("2027-02-02"),
      );
    });

    test("drops a day when its retention is over, though nothing is written", async () => {
      const [noted] = log.note({});
      await log.ids();
      log.pass(TRUST_AFTER_MS + 3 * DAY_MS);
      await eventually(
        () => log.days(),
        (days) => days.includes("2027-02-03"),
      );
      expect(await log.ids()).toEqual([noted!]);
      log.pass(DAY_MS);
      await eventually(
        () => log.days(),
        (days) => !days.includes(TODAY),
      );
      expect([await log.ids(), await log.store.find(noted!)]).toEqual([[], undefined]);
    });

    test("drops no day by a clock that is wrong for a moment, and lists no day that is yet to come", async () => {
      const noted = log.note({});
      log.pass(TRUST_AFTER_MS);
      await log.ids();
      log.nowMs += 400 * DAY_MS;
      noted.push(...log.note({}));
      expect(await log.ids()).toEqual(noted);
      await eventually(
        () => log.days(),
        (days) => days.includes("2028-03-07"),
      );
      log.nowMs -= 400 * DAY_MS;
      expect(await log.ids()).toEqual(noted.slice(0, 1));
    });

    test("a request of a process whose clock is far ahead is in the tables of today", async () => {
      const [noted] = log.note({ endedAtMs: log.nowMs + 50 * DAY_MS });
      const [found] = await log.store.list({}, undefined, "newer", 10);
      expect([found!.request.requestId, found!.position.day]).toEqual([noted!, TODAY]);
    });

    test("a retention of 0 drops all days and logs nothing", async () => {
      log.note({});
      await log.reopen();
      await log.store.close();
      const off = new LogInPostgres(otherPool, { days: 0 });
      await eventually(
        () => log.days(),
        (days) => days.length === 0,
      );
      off.note({});
      expect([await off.ids(), off.store.state().queued]).toEqual([[], 0]);
      await off.store.close();
    });

    test("creates a dropped day again, and earlier positions stay in order", async () => {
      log.noteMany(5);
      const [last] = await log.store.list({}, undefined, "older", 1);
      await new LogPartitions(otherPool).drop(TODAY);
      expect(await log.ids()).toEqual([]);
      log.nowMs += 1000;
      const noted = log.noteMany(2);
      expect(await log.ids()).toEqual(noted);
      const after = await log.store.list({}, last!.position, "newer", 10);
      expect(after.map(({ request }) => request.requestId)).toEqual(noted);
      expect(log.reports).toEqual([]);
    });

    test("creates tables again that somebody else has dropped", async () => {
      log.noteMany(2);
      await log.ids();
      await otherPool.query("drop table request_log_2027_01_31_requests, request_log_2027_01_31_bodies");
      const bodies = new CapturedBodies("prompt");
      const noted = log.note({ notes: { bodies } }, {});
      expect(await log.ids()).toEqual(noted);
      await eventually(
        () => log.store.bodiesOf(noted[0]!),
        (stored) => stored?.request === "prompt",
      );
    });

    test("drops and counts a batch that the database does not accept, and goes on", async () => {
      log.note({ status: 2 ** 40 });
      await eventually(
        () => log.store.state(),
        ({ queued, failure }) => queued === 0 && failure === undefined,
      );
      expect(log.store.state()).toMatchObject({ written: 0, drops: { queue_full: 1 } });
      expect(log.reports).toEqual([expect.stringContaining("out of range"), undefined]);
      const noted = log.noteMany(2);
      expect(await log.ids()).toEqual(noted);
    });

    test("bodies pass the redaction hook, and are dropped where it fails", async () => {
      await log.remove();
      log = new LogInPostgres(pool, { redact });
      const prompts = ["I am Alice", "forget", "fail"];
      const ids = log.note(...prompts.map((prompt) => ({ notes: { bodies: new CapturedBodies(prompt) } })));
      const stored = await Promise.all(ids.map((id) => log.store.bodiesOf(id)));
      expect(stored.map((each) => each?.request)).toEqual(["I am [name]", undefined, undefined]);
      expect(log.store.state().bodyDrops).toMatchObject({ hook_failed: 1 });
    });

    test("a clock that is set back over midnight does not take the log back to the day before", async () => {
      log.nowMs = MIDNIGHT_MS;
      const at = (...seconds: number[]): string[] => log.note(...seconds.map((each) => ({ endedAtMs: MIDNIGHT_MS + each * 1000 })));
      const noted = at(-5, 5, -3);
      await log.reopen();
      noted.push(...at(-2000, 8, -1, 9));
      const listed = await log.store.list({}, undefined, "newer", 10);
      expect(listed.map(({ request }) => request.requestId)).toEqual(noted);
      expect(new Set(listed.slice(1).map(({ position }) => position.day))).toEqual(new Set(["2027-02-01"]));
      const before = await log.store.list({ toMs: MIDNIGHT_MS }, undefined, "newer", 10);
      expect(before.map(({ request }) => request.requestId)).toEqual([noted[0]!, noted[2]!, noted[3]!, noted[5]!]);
    });

    test("stores and finds texts that PostgreSQL does not accept", async () => {
      const names = ["a\0b", "half \ud83d", '{"quoted", \\null}', "null", ""];
      const noted = log.note(...names.map((requestedModel) => ({ notes: { requestedModel, detail: requestedModel } })));
      for (const [at, model] of names.entries()) {
        const found = await log.store.list({ model }, undefined, "newer", 10);
        expect([model, found.map(({ request }) => request.requestId)]).toEqual([model, [noted[at]!]]);
        const bounds = [Math.floor(log.nowMs / QUARTER_MS) * QUARTER_MS, log.nowMs + QUARTER_MS];
        expect((await log.store.statistics({ bounds, model })).total.requests).toBe(1);
      }
      expect((await log.store.find(noted[2]!))!.detail).toBe(names[2]!);
    });

    test("filters by the details of attempts, also where an upstream has sent such a text", async () => {
      const tried = { upstream: "a", upstreamModel: "m", startedAt: 5001, durationMs: 1, outcome: "failed" as const };
      const attemptsWith = (detail: string): Attempt[] => [
        { ...tried, detail },
        { ...tried, detail: "down" },
      ];
      const texts = ["nul \0 char", "half \ud83d pair", String.raw`quoted \\u0000\u0000 and \ud83d`];
      const noted = log.note(...texts.map((detail) => ({ notes: { attempts: attemptsWith(detail) } })));
      const idsOf = async (filter: RequestFilter): Promise<string[]> =>
        (await log.store.list(filter, undefined, "newer", 10)).map(({ request }) => request.requestId);
      for (const errorText of ["char", "nul \0"]) expect(await idsOf({ errorText })).toEqual([noted[0]!]);
      for (const errorText of [String.raw`\\u0000\u0000 a`, String.raw`and \ud83d`])
        expect(await idsOf({ errorText })).toEqual([noted[2]!]);
      expect(await idsOf({ amounts: { attempts: { least: 2 } } })).toEqual(noted);
      expect(await idsOf({ errorText: "char" })).toEqual([noted[0]!]);
      expect(await idsOf({ errorText: "down" })).toEqual(noted);
      expect(await idsOf({ errorText: "NUL \0" })).toEqual([noted[0]!]);
      expect(await idsOf({ amounts: { attempts: { least: 2 } } })).toEqual(noted);
    });

    test("finds a request in any of many chunks, and a rare value among them", async () => {
      const noted = log.noteMany(9000);
      const rare = [0, 1, 2].map((at) => {
        const [id] = log.note({ status: 500 + at, notes: { accountId: "rare", keyId: `k${at}` } });
        noted.push(id!, ...log.noteMany(50));
        return id!;
      });
      expect(await log.ids()).toEqual(noted);
      for (const direction of ["older", "newer"] as const) {
        const found = await log.store.list({ accountId: "rare", status: { least: 500, most: 599 } }, undefined, direction, 2);
        expect(found.map(({ request }) => request.requestId)).toEqual((direction === "newer" ? rare : rare.toReversed()).slice(0, 2));
      }
      for (const id of [noted[0]!, noted[4096]!, noted.at(-1)!]) expect((await log.store.find(id))?.requestId).toBe(id);
    });

    test("a background slice builds rows, and sends a full batch", async () => {
      const { backgroundTask } = log.store;
      const noted = log.noteMany(510);
      backgroundTask.runSlice(16);
      expect(backgroundTask.waiting).toBe(484);
      backgroundTask.runSlice(484);
      expect(backgroundTask.waiting).toBe(0);
      await eventually(
        () => log.store.state().written,
        (written) => written >= 500,
      );
      expect(await log.ids()).toEqual(noted);
    });

    test("the size limit drops the oldest days, and then requests, which are counted", async () => {
      await log.remove();
      log = new LogInPostgres(pool, { maxBytes: 2 * MIB });
      const long = { notes: { detail: "x".repeat(450), param: "y".repeat(450) } };
      log.noteMany(2000, { ...long, endedAtMs: log.nowMs - DAY_MS });
      await log.ids();
      const yesterday = async (): Promise<boolean> => (await log.days()).includes("2027-01-30");
      await eventually(
        async () => {
          log.noteMany(500, long);
          return (await yesterday()) ? undefined : log.store.state().failure;
        },
        (failure) => failure !== undefined,
      );
      log.noteMany(10);
      const { written, drops, failure } = await eventually(
        () => log.store.state(),
        ({ queued }) => queued === 0,
      );
      expect(failure).toContain("today's requests alone take");
      expect(log.reports).toEqual([expect.stringContaining("today's requests alone take")]);
      expect(drops.no_disk_room).toBeGreaterThanOrEqual(10);
      expect(await log.ids()).toHaveLength(written - 2000);
      log.pass(DAY_MS + TRUST_AFTER_MS);
      const [tomorrow] = await eventually(
        async () => {
          log.note({});
          await eventually(
            () => log.store.state().queued,
            (queued) => queued === 0,
          );
          return log.ids();
        },
        (ids) => ids.length > 0 && log.reports.at(-1) === undefined,
      );
      expect(tomorrow).toBeDefined();
    });
  });
});
