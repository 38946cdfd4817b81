import { describe, expect, test } from "bun:test";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import { PostgresProcessReportStore } from "./postgres-process-report-store.ts";
import type { RefusedLimit } from "./process-report-store.ts";

const LARGE = 12_345_678_901_234_567_890n;

function refused(what: RefusedLimit["what"], leftNanos: bigint): RefusedLimit {
  return { scope: "account", id: "acme", what, leftNanos };
}

describe.skipIf(!hasPostgres)("what processes report to each other in PostgreSQL", () => {
  const postgres = postgresFixture();

  test("returns the last reports of the other live processes", async () => {
    const { pool } = await postgres.open();
    const stores = ["1", "2", "lost", "closed"].map(
      (instanceId) => new PostgresProcessReportStore({ pool, instanceId, lostAfter: "interval '30 seconds'" }),
    );
    await pool.query(`insert into instances (id, epoch, applied_seq, state, joined_at, seen_at) values
      ('1', 1, 0, 'live', now(), now()), ('2', 1, 0, 'live', now(), now()), ('closed', 1, 0, 'closed', now(), now()),
      ('lost', 1, 0, 'live', now(), now() - interval '1 hour')`);
    for (const store of stores) await store.reportUpstreams("[]");
    await stores[1]!.reportUpstreams("[1]");
    expect(await stores[0]!.upstreamReports()).toEqual(new Map([["2", "[1]"]]));
    await stores[1]!.forget();
    expect(await stores[0]!.upstreamReports()).toEqual(new Map());
    expect([...(await pool.query("select instance_id as id from process_reports order by 1"))]).toEqual([
      { id: "1" },
      { id: "closed" },
      { id: "lost" },
    ]);
  });

  test("are rejected requests, which are taken once, with what was left last", async () => {
    const { pool } = await postgres.open();
    const [one, other] = ["1", "2"].map((instanceId) => new PostgresProcessReportStore({ pool, instanceId, lostAfter: "interval '1 s'" }));
    await one!.addRefusals([refused("credit", 5n), refused("day", LARGE)]);
    await other!.addRefusals([refused("credit", 4n)]);
    const taken = await other!.takeRefusals();
    expect(taken.toSorted((a, b) => (a.what < b.what ? -1 : 1))).toEqual([refused("credit", 4n), refused("day", LARGE)]);
    expect(await one!.takeRefusals()).toEqual([]);
  });
});
