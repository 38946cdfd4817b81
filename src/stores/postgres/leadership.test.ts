import { beforeEach, describe, expect, test } from "bun:test";
import { eventually } from "../../../test/support/eventually.ts";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import { LEASE_MS, Leadership } from "./leadership.ts";
import type { OpenPostgres } from "./open-postgres.ts";
import type { PostgresPool } from "./postgres-pool.ts";

const JOB = "alerts";

/** A process with a manual clock, which only the test advances. */
class Candidate {
  readonly leadership: Leadership;
  clock: () => number;
  nowMs = 0;
  /** The delay of the database's answers, by this process's clock. */
  answersAfterMs = 0;

  constructor(instanceId: string, process: OpenPostgres) {
    this.clock = () => this.nowMs;
    const query: PostgresPool["query"] = async (text, parameters) => {
      const rows = await process.pool.query<never>(text, parameters);
      this.nowMs += this.answersAfterMs;
      return rows;
    };
    const pool = { query };
    this.leadership = new Leadership({ pool, instanceId, jobs: [JOB, "rollups"], monotonicMs: () => this.clock() });
  }

  get leads(): boolean {
    return this.leadership.isLeader(JOB);
  }
}

describe.skipIf(!hasPostgres)("Leadership", () => {
  const postgres = postgresFixture();
  let processes: OpenPostgres[];
  let first: Candidate;
  let second: Candidate;

  beforeEach(async () => {
    const one = await postgres.open();
    processes = [one, await postgres.open(one.url)];
    [first, second] = [new Candidate("first", processes[0]!), new Candidate("second", processes[1]!)];
  });

  /** Moves the end of the leases in the database: to the past, or so far into the future that a slow machine does not reach it. */
  async function moveEnd(by: string): Promise<void> {
    await processes[1]!.pool.query("update leaders set until = until + $1::text::interval", [by]);
  }

  test("a process leads as long as it renews, and another takes over at its release", async () => {
    await first.leadership.renew();
    for (let round = 0; round < 3; round++) {
      await moveEnd("1 hour");
      await second.leadership.renew();
      expect([first.leads, second.leads]).toEqual([true, false]);
      first.nowMs += LEASE_MS - 1;
      expect(first.leads).toBe(true);
      await first.leadership.renew();
    }
    expect([first.leadership.isLeader("rollups"), first.leadership.isLeader("unknown")]).toEqual([true, false]);
    await first.leadership.close();
    expect(first.leads).toBe(false);
    await second.leadership.renew();
    expect(second.leads).toBe(true);
    await second.leadership.close();
  });

  test("of processes that ask at the same time, one leads", async () => {
    first.clock = second.clock = () => performance.now();
    await eventually(
      async () => {
        await Promise.all([first, second].map(({ leadership }) => leadership.renew()));
        const leaders = [first, second].filter(({ leads }) => leads).length;
        expect(leaders).toBeLessThanOrEqual(1);
        return leaders;
      },
      (leaders) => leaders === 1,
    );
    for (const { leadership } of [first, second]) await leadership.close();
  });

  test("another process takes over when the leader is lost without a release, and not before the leader has stopped", async () => {
    first.clock = second.clock = () => performance.now();
    first.leadership.start();
    await eventually(
      () => first.leads,
      (leads) => leads,
    );
    second.leadership.start();
    await processes[0]!.pool.close();
    const leaders = await eventually(
      () => [first.leads, second.leads],
      ([, leads]) => leads!,
    );
    expect(leaders).toEqual([false, true]);
    for (const { leadership } of [first, second]) await leadership.close();
  });

  test("a leader that was stopped for a lease does not lead when it goes on, before it has asked", async () => {
    await first.leadership.renew();
    await moveEnd("-1 hour");
    await second.leadership.renew();
    first.nowMs += LEASE_MS;
    expect([first.leads, second.leads]).toEqual([false, true]);
    await moveEnd("1 hour");
    await first.leadership.renew();
    expect(first.leads).toBe(false);
    for (const { leadership } of [first, second]) await leadership.close();
  });

  test("a lease counts from when it was asked for, however late the answer is", async () => {
    first.answersAfterMs = LEASE_MS - 1;
    await first.leadership.renew();
    expect(first.leads).toBe(true);
    first.nowMs += 1;
    expect(first.leads).toBe(false);
    await first.leadership.close();
  });

  test("a leader that cannot reach the database leads no longer than a lease", async () => {
    await first.leadership.renew();
    await processes[0]!.pool.close();
    first.nowMs += LEASE_MS - 1;
    await first.leadership.renew();
    expect(first.leads).toBe(true);
    first.nowMs += 1;
    expect(first.leads).toBe(false);
    await first.leadership.close();
  });
});
