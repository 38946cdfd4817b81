import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { sql } from "kysely";
import { issueKey } from "../../access/api-key.ts";
import { ownChange } from "../../access/change.ts";
import { NO_CAPS, NO_LIMITS } from "../../money/limits.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import { migrate } from "../migrations/migrate.ts";
import { openStoresIn } from "../../../test/support/gateway/store-options.ts";
import { SqlKeyStore } from "./sql-key-store.ts";
import { keyStoreContract } from "./key-store.contract.ts";

const CHANGE = ownChange("key.test", { kind: "key", id: "a" }, null, 1);
const WANTED = { accountId: "default", models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null };

keyStoreContract("SqlKeyStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-keys-"));
  let stores = await openStoresIn(folder);
  return {
    store: stores.keys,
    auditLog: () => stores.auditLog,
    async reopen() {
      await stores.close();
      stores = await openStoresIn(folder);
      return stores.keys;
    },
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
});

test("on SQLite a revocation is in force in the same turn of the event loop", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-keys-"));
  const stores = await openStoresIn(folder);
  const { record } = issueKey({ ...WANTED, name: "a" }, new Secret("s"), 1);
  await stores.keys.add(record, CHANGE);
  const revoking = stores.keys.revoke(record.id, (current) => ({ record: { ...current!, revokedAtMs: 50 }, change: CHANGE }));
  expect(stores.keys.find(record.id)).toMatchObject({ revokedAtMs: 50 });
  await revoking;
  await stores.close();
  rmSync(folder, { recursive: true });
});

test("while the database cannot be written, adding or changing a key fails, but a revocation is in force and can be retried", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-keys-"));
  const database = openSqlite(join(folder, "keys.db"));
  await migrate(database);
  const store = await SqlKeyStore.open(database);
  const { record } = issueKey({ ...WANTED, name: "a" }, new Secret("s"), 1);
  await store.add(record, CHANGE);

  await sql`pragma query_only = on`.execute(database);
  const { record: second } = issueKey({ ...WANTED, name: "b" }, new Secret("s"), 1);
  expect(store.add(second, CHANGE)).rejects.toThrow();
  expect(store.find(second.id)).toBeUndefined();
  expect(store.update(record.id, () => ({ record: { ...record, name: "c" }, change: CHANGE }))).rejects.toThrow();
  expect(store.find(record.id)).toEqual(record);
  expect(store.revoke(record.id, () => ({ record: { ...record, revokedAtMs: 50 }, change: CHANGE }))).rejects.toThrow();
  expect([store.find(record.id)?.revokedAtMs, store.isUnwritten(record.id)]).toEqual([50, true]);

  await sql`pragma query_only = off`.execute(database);
  await store.revoke(record.id, (current) => ({ record: current!, change: CHANGE }));
  expect(store.isUnwritten(record.id)).toBe(false);
  expect((await SqlKeyStore.open(database)).find(record.id)?.revokedAtMs).toBe(50);
  await database.destroy();
  rmSync(folder, { recursive: true });
});
