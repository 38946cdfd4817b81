import { describe, expect, test } from "bun:test";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import { makeExport } from "../../access/request-export.ts";
import type { PostgresPool } from "../postgres/postgres-pool.ts";
import { exportStoreContract } from "./export-store.contract.ts";
import { PostgresExportStore } from "./postgres-export-store.ts";

async function join(pool: PostgresPool, id: string): Promise<void> {
  await pool.query(
    "insert into instances (id, epoch, applied_seq, state, joined_at, seen_at) values ($1, 1, 0, 'live', authority_now(), authority_now())",
    [id],
  );
}

const storeOn = (pool: PostgresPool, instanceId: string, nowMs = (): number => 6000): PostgresExportStore =>
  new PostgresExportStore({ pool, instanceId, lostAfter: "interval '30 seconds'", nowMs });

describe.skipIf(!hasPostgres)("exports in PostgreSQL", () => {
  const postgres = postgresFixture();

  exportStoreContract("PostgresExportStore", async () => {
    const { pool } = await postgres.open();
    const opened: PostgresExportStore[] = [];
    const open = async (): Promise<PostgresExportStore> => {
      const id = String(opened.length);
      await join(pool, id);
      opened.push(storeOn(pool, id, () => fixture.nowMs));
      return opened.at(-1)!;
    };
    const fixture = {
      nowMs: 0,
      store: undefined as unknown as PostgresExportStore,
      async reopenAfterKill() {
        await pool.query("update instances set seen_at = seen_at - interval '1 minute'");
        return open();
      },
      cleanUp: async () => Promise.all(opened.map((store) => store.close())).then(() => undefined),
    };
    fixture.store = await open();
    return fixture;
  });

  const sample = makeExport({ ownerId: "ada", role: "operator", accountId: null, format: "jsonl", filters: {} }, 5000);
  const CHUNK = { text: "{}\n", rows: 1, total: 1 };

  test("can be seen, cancelled and downloaded in a different process than the one that writes them", async () => {
    const { pool } = await postgres.open();
    const [writer, other] = ["writer", "other"].map((id) => storeOn(pool, id));
    for (const id of ["writer", "other"]) await join(pool, id);
    const cancelled = { ...sample, id: "exp_cancelled" };
    for (const each of [sample, cancelled]) {
      await writer!.add(each);
      expect(await writer!.append(each.id, CHUNK)).toBe("appended");
      expect(await other!.find(each.id)).toMatchObject({ state: "running", rows: 1, total: 1 });
    }
    await other!.end(cancelled.id, "cancelled");
    expect(await writer!.append(cancelled.id, CHUNK)).toBe("stopped");
    await writer!.end(sample.id, "done");
    const done = (await other!.find(sample.id))!;
    expect(await Array.fromAsync(other!.read(done))).toEqual(["{}\n"]);
    expect((await pool.query<{ id: string }>("select export_id as id from export_chunks")).map(({ id }) => id)).toEqual([sample.id]);
    await Promise.all([writer!.close(), other!.close()]);
  });

  test("are interrupted where their end could not be written", async () => {
    const { pool } = await postgres.open();
    let isAway = false;
    const failing = {
      transaction: pool.transaction.bind(pool),
      query: (...given: Parameters<typeof pool.query>) => (isAway ? Promise.reject(new Error("away")) : pool.query(...given)),
    } as unknown as PostgresPool;
    await join(pool, "writer");
    const writer = storeOn(failing, "writer");
    await writer.add(sample);
    isAway = true;
    await Promise.allSettled([writer.append(sample.id, CHUNK), writer.end(sample.id, "failed", "away")]);
    isAway = false;
    expect(await writer.find(sample.id)).toMatchObject({ state: "interrupted" });
    await writer.close();
  });
});
