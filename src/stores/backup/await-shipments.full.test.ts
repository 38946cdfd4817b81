import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { admit, LedgerProcesses } from "../../../test/support/postgres/ledger-processes.ts";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import { WAIT_LIMIT_MS } from "../../../test/support/wait-limit.ts";
import { settlement } from "../../../test/support/money/ledger-samples.ts";
import { MAX_CHANGES } from "../ledger/leases/shipper.ts";
import { untilShipped } from "./await-shipments.ts";

describe.skipIf(!hasPostgres)("before a database is copied", () => {
  const postgres = postgresFixture();
  let processes: LedgerProcesses;
  beforeAll(async () => {
    processes = await LedgerProcesses.create(postgres);
  });
  afterAll(() => processes?.close());

  /** Records in the database a call of a process, with the number of changes that it has shipped. */
  async function called(id: string, changes: number): Promise<void> {
    await processes.pool.query(
      `insert into instances (id, epoch, applied_seq, state, joined_at, seen_at, durability, stated_run)
        values ($1, 1, $2::bigint, 'live', authority_now(), authority_now(), 'process', '')
        on conflict (id) do update set seen_at = authority_now(), applied_seq = instances.applied_seq + $2::bigint`,
      [id, changes],
    );
  }

  async function forget(id: string): Promise<void> {
    await processes.pool.query("delete from instances where id = $1", [id]);
  }

  test("a call that may have been on its way does not count, nor does one with as many changes as fit", async () => {
    await called("p2", 1);
    const calls = [1, MAX_CHANGES, MAX_CHANGES, 0];
    const sleep = (): Promise<void> => called("p2", calls.shift()!);
    expect(await untilShipped(processes.pool, { timeoutMs: WAIT_LIMIT_MS, sleep })).toEqual([]);
    expect(calls).toEqual([]);
    await forget("p2");
  });

  test("a lost process is named, and one that ends meanwhile has shipped everything", async () => {
    await called("p3", 1);
    await called("p4", 1);
    await processes.pool.query("update instances set seen_at = seen_at - interval '1 hour' where id = 'p3'");
    expect(await untilShipped(processes.pool, { timeoutMs: WAIT_LIMIT_MS, sleep: () => forget("p4") })).toEqual(["p3"]);
    await forget("p3");
  });

  test("a process that does not call in time is named", async () => {
    await called("p5", 1);
    expect(await untilShipped(processes.pool, { timeoutMs: 0 })).toEqual(["p5"]);
    await forget("p5");
  });

  test("a process that serves requests has shipped all of them", async () => {
    const { store, pool } = await processes.open("p1");
    await processes.credit(10_000n);
    for (let at = 0; at < 6; at++) {
      await admit({ store }, `request-${at}`, 10n);
      await store.settle(`request-${at}`, settlement(3n));
      if (at % 5 > 0) continue;
      expect(await untilShipped(pool, { timeoutMs: WAIT_LIMIT_MS })).toEqual([]);
      const rows = await pool.query<{ request_id: string }>("select request_id from entries where kind = 'settle'");
      expect(rows.map(({ request_id: requestId }) => requestId)).toContain(`request-${at}`);
    }
  });
});
