import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { sql } from "kysely";
import { makeAccount } from "../../access/account.ts";
import { ownChange } from "../../access/change.ts";
import { openSqlite } from "../database.ts";
import { migrate } from "../migrations/migrate.ts";
import { accountStoreContract } from "./account-store.contract.ts";
import { EmbeddedAccountStore } from "./embedded-account-store.ts";

const CHANGE = ownChange("account.test", { kind: "account", id: "acme" }, null, 1);

accountStoreContract("EmbeddedAccountStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-accounts-"));
  const path = join(folder, "tollgate.db");
  let database = openSqlite(path);
  await migrate(database);
  return {
    store: await EmbeddedAccountStore.open(database),
    make({ statements, apply }) {
      database.writeInTurn(...statements);
      apply();
    },
    async reopen() {
      await database.destroy();
      database = openSqlite(path);
      return EmbeddedAccountStore.open(database);
    },
    async cleanUp() {
      await database.destroy();
      rmSync(folder, { recursive: true });
    },
  };
});

test("leaves an account unchanged while the database cannot be written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-accounts-"));
  const database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
  const store = await EmbeddedAccountStore.open(database);
  await store.put(makeAccount("acme", "A", 1), CHANGE);

  await sql`pragma query_only = on`.execute(database);
  expect(store.put(makeAccount("acme", "B", 1), CHANGE)).rejects.toThrow();
  expect(store.put(makeAccount("beta", "C", 1), CHANGE)).rejects.toThrow();
  store.prepare([{ account: makeAccount("acme", "D", 1), change: CHANGE }]);
  expect(store.originOf("acme")).toBe("operator");
  expect([store.find("acme")?.name, store.find("beta")]).toEqual(["A", undefined]);
  await database.destroy();
  rmSync(folder, { recursive: true });
});
