import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { LogInPostgres } from "../../../../test/request-log/log-in-postgres.ts";
import { expectStatistics } from "../../../../test/request-log/plain-statistics.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import { CapturedBodies } from "../../../requests/captured-bodies.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { LogPosition } from "../request-log-store.ts";
import { MAX_QUEUED } from "../request-queue.ts";
import { LogPartitions } from "./log-partitions.ts";
import { PartitionSums } from "./partition-sums.ts";

const TODAY = "2027-01-31";
const MIDNIGHT_MS = Date.parse("2027-02-01");

describe.skipIf(!hasPostgres)("the request log in PostgreSQL", () => {
  const postgres = postgresFixture();
  let pool: PostgresPool;
  let otherPool: PostgresPool;
  beforeAll(async () => {
    const open = await postgres.open();
    ({ pool } = open);
    ({ pool: otherPool } = await postgres.open(open.url));
  });

  describe("in two processes", () => {
    let logs: LogInPostgres[];
    beforeEach(() => {
      logs = [pool, otherPool].map((each) => new LogInPostgres(each));
    });
    afterEach(async () => {
      for (const log of logs) await log.store.close();
      await logs[0]!.remove();
    });

    test("each reads the requests of both, and paging forward while both write has each once", async () => {
      const noted: string[][] = [[], []];
      const met: string[] = [];
      let from: LogPosition | undefined;
      const readOn = async (): Promise<number> => {
        const page = await logs[0]!.store.list({}, from, "newer", 300);
        met.push(...page.map(({ request }) => request.requestId));
        from = page.at(-1)?.position ?? from;
        return page.length;
      };
      for (let round = 0; round < 40; round++) {
        for (const [at, log] of logs.entries()) {
          log.nowMs += 60 * 60 * 1000;
          noted[at]!.push(...log.noteMany(1 + ((round * 7 + at * 3) % 50)));
        }
        await Promise.all([logs[1]!.ids(), readOn()]);
      }
      while ((await readOn()) > 0);
      expect(met.length).toBe(noted[0]!.length + noted[1]!.length);
      for (const own of noted) {
        const set = new Set(own);
        expect(met.filter((id) => set.has(id))).toEqual(own);
      }
    });

    test("a process whose clock is behind writes to the day that others have begun", async () => {
      const [ahead, behind] = logs as [LogInPostgres, LogInPostgres];
      [ahead.nowMs, behind.nowMs] = [MIDNIGHT_MS + 2000, MIDNIGHT_MS - 3000];
      const noted = behind.note({});
      await behind.ids();
      noted.push(...ahead.note({}));
      await ahead.ids();
      const [last] = await ahead.store.list({}, undefined, "older", 1);
      const [late] = behind.note({});
      await behind.ids();
      const after = await ahead.store.list({}, last!.position, "newer", 10);
      expect(after.map(({ request }) => request.requestId)).toEqual([late!]);
    });

    test("statistics are exact while sums are written by both", async () => {
      const [log] = logs as [LogInPostgres];
      const query = { bounds: [Date.parse(TODAY), MIDNIGHT_MS] };
      const sums = [pool, otherPool].map((each) => new PartitionSums(each));
      for (let round = 0; round < 6; round++) {
        for (const [at, each] of logs.entries()) {
          each.note(...Array.from({ length: 1500 }, (_, n) => ({ notes: { accountId: `a-${n % 5}`, requestedModel: `m-${at}` } })));
        }
        await Promise.all(logs.map((each) => each.ids()));
        await Promise.all(sums.map((each) => each.advance(TODAY)));
        const all = (await log.store.list({}, undefined, "newer", 100_000)).map(({ request }) => request);
        for (const part of [{}, { accountId: "a-3" }, { model: "m-1" }, { accountId: "a-2", model: "m-0" }]) {
          expectStatistics(await log.store.statistics({ ...query, ...part }), all, { ...query, ...part });
        }
      }
      const [day] = await new LogPartitions(pool).all();
      expect(day!.summedRow).toBeGreaterThan(day!.lastRow! - 18_000);
    });

    test("bodies that one process stores are read in the other", async () => {
      const bodies = new CapturedBodies('{"prompt":"\0"}');
      bodies.capture("reply");
      const [id] = logs[0]!.note({ notes: { bodies } });
      expect(await logs[0]!.store.bodiesOf(id!)).toEqual({ request: '{"prompt":"\uFFFD"}', reply: "reply", isCut: false });
      expect([await logs[1]!.store.hasBodies(id!), (await logs[1]!.store.bodiesOf(id!))?.reply]).toEqual([true, "reply"]);
    });
  });

  test("a long read delays the drop of its day, and no write", async () => {
    const log = new LogInPostgres(pool);
    const noted = log.noteMany(3);
    await log.ids();
    const [locked, reading] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read = otherPool.transaction(async (connection) => {
      await connection.query(`select count(*) from request_log_2027_01_31_requests`);
      locked.resolve();
      await reading.promise;
    });
    await locked.promise;
    const [dropped] = await Promise.allSettled([new LogPartitions(pool).drop(TODAY)]);
    expect(dropped).toMatchObject({ status: "rejected" });
    noted.push(...log.noteMany(2));
    expect(await log.ids()).toEqual(noted);
    reading.resolve();
    await read;
    await log.remove();
    expect(await log.days()).toEqual([]);
  });

  test("requests wait in a bounded queue while the database is away, and are written once", async () => {
    const log = new LogInPostgres(pool);
    const noted = log.noteMany(3);
    await log.ids();
    // Writes do not wait for the disk.
    await pool.query("checkpoint");
    await postgres.server.kill();
    noted.push(...log.noteMany(MAX_QUEUED));
    expect(log.store.state().drops.queue_full).toBe(0);
    log.noteMany(77);
    const state = await eventually(
      () => log.store.state(),
      ({ failure }) => failure !== undefined,
    );
    expect(state).toMatchObject({ queued: MAX_QUEUED, written: 3, dropped: 77 });
    expect((await Promise.allSettled([log.store.list({}, undefined, "older", 10)]))[0]).toMatchObject({ reason: { code: "overloaded" } });
    await postgres.server.restart();
    await eventually(
      () => log.store.state(),
      ({ queued, failure }) => queued === 0 && failure === undefined,
    );
    expect(await log.ids()).toEqual(noted);
    expect(log.reports).toEqual([expect.any(String), undefined]);
    await log.remove();
  });

  test("a batch that is sent again is written once", async () => {
    // The answer to the first write is lost.
    let isLost = false;
    const lossy = Object.create(pool) as PostgresPool;
    lossy.query = async (text, parameters) => {
      const rows = await pool.query<never>(text, parameters);
      if (isLost || !text.includes("request_log_writers")) return rows;
      isLost = true;
      throw new Error("the connection is closed");
    };
    lossy.transaction = (work) => pool.transaction(work);
    const log = new LogInPostgres(lossy);
    const noted = log.noteMany(5);
    await eventually(
      () => log.store.state().failure,
      (failure) => failure !== undefined,
    );
    noted.push(...log.noteMany(5));
    await eventually(
      () => log.store.state().queued,
      (queued) => queued === 0,
    );
    expect(await log.ids()).toEqual(noted);
    expect(log.store.state()).toMatchObject({ written: 10, dropped: 0, failure: undefined });
    await log.remove();
  });
});
