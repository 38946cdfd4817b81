import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { sql } from "kysely";
import { makeAccount } from "../../access/account.ts";
import { ownChange } from "../../access/change.ts";
import { SqlAuditLogStore } from "../audit-log/sql-audit-log-store.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import { migrate } from "../migrations/migrate.ts";
import { accountStoreContract } from "./account-store.contract.ts";
import { SqlAccountStore } from "./sql-account-store.ts";

const CHANGE = ownChange("account.test", { kind: "account", id: "acme" }, null, 1);

accountStoreContract("SqlAccountStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-accounts-"));
  const path = join(folder, "tollgate.db");
  let database = openSqlite(path);
  await migrate(database);
  return {
    store: await SqlAccountStore.open(database),
    auditLog: () => new SqlAuditLogStore(database),
    async make(prepared) {
      await database.change(
        "account",
        [],
        () => ({}),
        () => prepared,
      );
    },
    async reopen() {
      await database.destroy();
      database = openSqlite(path);
      return SqlAccountStore.open(database);
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
  const store = await SqlAccountStore.open(database);
  const put = (id: string, name: string): Promise<unknown> =>
    store.update(id, () => ({ record: makeAccount(id, name, 1), change: CHANGE }));
  await put("acme", "A");

  await sql`pragma query_only = on`.execute(database);
  expect(put("acme", "B")).rejects.toThrow();
  expect(put("beta", "C")).rejects.toThrow();
  store.prepare([{ account: makeAccount("acme", "D", 1), change: CHANGE }]);
  expect(store.originOf("acme")).toBe("operator");
  expect([store.find("acme")?.name, store.find("beta")]).toEqual(["A", undefined]);
  await database.destroy();
  rmSync(folder, { recursive: true });
});
