import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { sql } from "kysely";
import type { Database } from "../database.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import { migrate } from "../migrations/migrate.ts";
import { openStoresIn } from "../../../test/support/gateway/store-options.ts";
import { SqlLastUsedStore } from "./sql-last-used-store.ts";
import { lastUsedStoreContract } from "./last-used-store.contract.ts";

lastUsedStoreContract("SqlLastUsedStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-uses-"));
  let stores = await openStoresIn(folder);
  return {
    store: stores.lastUsed,
    keys: stores.keys,
    async reopen() {
      await stores.close();
      stores = await openStoresIn(folder);
      return stores.lastUsed;
    },
    async cleanUp() {
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
});

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-uses-"));
  database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true });
});

const written = (): Promise<{ key_id: string; last_used_at_ms: number }[]> => database.selectFrom("key_uses").selectAll().execute();
const counted = (): Promise<{ key_id: string; requests: number }[]> =>
  database.selectFrom("model_uses").select(["key_id", "requests"]).execute();

test("writes nothing on the path of requests; seconds later writes all uses in slices", async () => {
  jest.useFakeTimers();
  const store = new SqlLastUsedStore(database);
  try {
    for (let at = 0; at < 450; at++) store.noteModel(`key-${at}`, "m", at + 1);
    jest.advanceTimersByTime(2900);
    expect(await written()).toEqual([]);
    jest.advanceTimersByTime(200);
  } finally {
    jest.useRealTimers();
  }
  while ((await written()).length < 450) await Bun.sleep(1);
  expect((await counted()).every(({ requests }) => requests === 1)).toBe(true);
  await store.close();
  expect(await counted()).toHaveLength(450);
});

test("retries uses that could not be written, and counts them once", async () => {
  const store = new SqlLastUsedStore(database);
  store.noteModel("a", "m", 5);
  await sql`pragma query_only = on`.execute(database);
  await store.keysUsing("m", { sinceMs: 0, accountIds: [] }, undefined, 10);
  store.noteModel("a", "m", 6);
  expect((await store.lastUsedTimes(["a"])).get("a")).toBe(6);
  await sql`pragma query_only = off`.execute(database);
  await store.close();
  expect(await counted()).toEqual([{ key_id: "a", requests: 2 }]);
  expect(await written()).toEqual([{ key_id: "a", last_used_at_ms: 6 }]);
});
