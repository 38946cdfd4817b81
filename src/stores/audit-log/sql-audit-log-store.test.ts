import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { ownChange } from "../../access/change.ts";
import type { Database } from "../database.ts";
import { openSqliteWriter } from "../sqlite/sqlite-database.ts";
import { auditLogStoreContract } from "./audit-log-store.contract.ts";
import { SqlAuditLogStore } from "./sql-audit-log-store.ts";
import { openMigrated } from "../../../test/support/open-migrated.ts";

auditLogStoreContract("SqlAuditLogStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-audit-log-"));
  let database = await openMigrated(folder);
  return {
    store: new SqlAuditLogStore(database),
    run: (statement) => sql.raw(statement).execute(database),
    async reopen() {
      await database.destroy();
      database = await openMigrated(folder);
      return new SqlAuditLogStore(database);
    },
    async cleanUp() {
      await database.destroy();
      rmSync(folder, { recursive: true });
    },
  };
});

const FIRST = { ...ownChange("key.create", { kind: "key", id: "k1" }, { name: "first" }, 1), idempotency: { key: "mine", digest: "d" } };

let folder: string;
let database: Database;
let log: SqlAuditLogStore;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-audit-log-"));
  database = await openMigrated(folder);
  log = new SqlAuditLogStore(database);
  await log.add(FIRST);
});

afterAll(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true });
});

describe("the audit log is append-only on SQLite:", () => {
  const columns = sql.raw("at_ms, actor, actor_name, action, target_kind, target_id, idempotency_key, digest");
  const forged = sql.raw("1, 'tollgate', 'nobody', 'nothing', 'key', 'k1', 'mine', 'd'");
  for (const [how, statement] of [
    ["a row that replaces the row with its id", sql`insert or replace into changes (id, ${columns}) values (1, ${forged})`],
    ["a row that replaces the row with its Idempotency-Key", sql`replace into changes (${columns}) values (${forged})`],
  ] as const) {
    test(`${how} is rejected`, async () => {
      expect(await statement.execute(database).catch((error: unknown) => String(error))).toContain("append-only");
      expect(await log.page({}, Number.MAX_SAFE_INTEGER, 10)).toEqual([{ id: 1, ...FIRST }]);
    });
  }
});

test("other connections cannot change it either", () => {
  const other = openSqliteWriter(join(folder, "tollgate.db"), "process");
  const replace = `insert or replace into changes (id, at_ms, actor, actor_name, action, target_kind, target_id) values (1, 1, 'a', 'a', 'a', 'a', 'a')`;
  for (const statement of [replace, "delete from changes", "update changes set actor = 'a'"]) {
    expect(() => other.run(statement)).toThrow("append-only");
  }
  other.close();
});
