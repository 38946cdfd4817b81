import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { sql } from "kysely";
import { issueKey } from "../../vocabulary/api-key.ts";
import { Secret } from "../../vocabulary/secret.ts";
import { openSqlite } from "../database.ts";
import { migrate } from "../migrations/migrate.ts";
import { openStores } from "../open-stores.ts";
import { EmbeddedKeyStore } from "./embedded-key-store.ts";
import { keyStoreContract } from "./key-store.contract.ts";

keyStoreContract("EmbeddedKeyStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-keys-"));
  let stores = await openStores(folder, new Map());
  return {
    store: stores.keys,
    async reopen() {
      await stores.close();
      stores = await openStores(folder, new Map());
      return stores.keys;
    },
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
});

test("where nothing can be written, a key cannot be added, but a revocation holds and can be tried again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-keys-"));
  const database = openSqlite(join(folder, "keys.db"));
  await migrate(database);
  const store = await EmbeddedKeyStore.open(database);
  const { record } = issueKey({ name: "a", models: ["*"], expiresAtMs: null }, new Secret("s"), 1);
  await store.add(record);

  await sql`pragma query_only = on`.execute(database);
  const { record: second } = issueKey({ name: "b", models: ["*"], expiresAtMs: null }, new Secret("s"), 1);
  expect(store.add(second)).rejects.toThrow();
  expect(store.find(second.id)).toBeUndefined();
  expect(store.revoke(record.id, 50)).rejects.toThrow();
  expect(store.find(record.id)?.revokedAtMs).toBe(50);

  await sql`pragma query_only = off`.execute(database);
  expect(await store.revoke(record.id, 60)).toMatchObject({ revokedAtMs: 50 });
  expect((await EmbeddedKeyStore.open(database)).find(record.id)?.revokedAtMs).toBe(50);
  await database.destroy();
  rmSync(folder, { recursive: true });
});
