import { afterEach, describe, expect, test } from "bun:test";
import { Database as SqliteFile } from "bun:sqlite";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import { fillFolder, type FilledFolder } from "../../../test/support/gateway/fill-folder.ts";
import { makeExport } from "../../access/request-export.ts";
import { loadStorageConfig, type StorageConfig } from "../../config.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { ExportStore } from "../../stores/exports/export-store.ts";
import { PostgresExportStore } from "../../stores/exports/postgres-export-store.ts";
import { ENTRIES, NOT_MOVED, TABLES } from "../../stores/moving/moved-table.ts";
import { refuseMovedDatabase } from "../../stores/postgres/move-state.ts";
import type { OpenPostgres } from "../../stores/postgres/open-postgres.ts";
import { readSecret } from "../../stores/secret-file.ts";
import type { MoveReport } from "./move-report.ts";
import { moveToDatabase } from "./move-to-database.ts";
import { moveToFolder } from "./move-to-folder.ts";
import { useFolder } from "./opened-sides.ts";

const NOW_MS = Date.parse("2027-01-31T12:00:00Z");

describe.skipIf(!hasPostgres)("a move between a data folder and PostgreSQL", () => {
  const postgres = postgresFixture();
  const folders: string[] = [];

  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  async function dataFolder(): Promise<string> {
    return (await filled()).path;
  }

  async function filled(): Promise<FilledFolder> {
    const folder = await fillFolder();
    folders.push(folder.path);
    return folder;
  }

  function newFolder(): string {
    const parent = mkdtempSync(join(tmpdir(), "tollgate-moved-"));
    folders.push(parent);
    return join(parent, "data");
  }

  async function databaseWith(statement: string): Promise<OpenPostgres & { readonly url: Secret }> {
    const open = await postgres.open();
    for (const each of statement.split(";;")) await open.pool.query(each);
    return open;
  }

  test("leaves every row as it was, there and back", async () => {
    const { path: folder, loggedRequests } = await filled();
    const url = await postgres.server.createDatabase();
    const there = await toDatabase(folder, url);
    expect(there.tables.get("entries")).toBeGreaterThan(0);
    expect(there.tables.get("keys")).toBeGreaterThan(0);
    expect(await refusalOf(useFolder(configOf(folder, url), async () => undefined))).toContain("was moved to a PostgreSQL database");
    const copy = newFolder();
    const back = await toFolder(folder, url, copy);
    expect(back.tables).toEqual(there.tables);
    expect(back.accounts.toSorted(byId)).toEqual(there.accounts.toSorted(byId));
    expect(back.requestLog).toEqual(there.requestLog);
    expect(there.requestLog!.requests).toBe(loggedRequests);
    expect(dumpOf(copy)).toEqual(dumpOf(folder));
    const { pool } = await postgres.open(url);
    expect(await refusalOf(refuseMovedDatabase(pool))).toContain(`was moved to the folder ${copy}`);
  }, 60_000);

  test("moves every table, or names the reason why not", async () => {
    const { pool } = await postgres.open();
    const rows = await pool.query<{ name: string }>(
      "select table_name::text as name from information_schema.tables where table_schema = current_schema()",
    );
    const file = fileOf(await opened(await dataFolder()));
    const inSqlite = file
      .query<{ name: string }, []>("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .all();
    file.close();
    const moved = [ENTRIES, ...TABLES];
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...moved, ...NOT_MOVED.postgres].toSorted());
    expect(inSqlite.map(({ name }) => name).toSorted()).toEqual([...moved, ...NOT_MOVED.sqlite].toSorted());
  });

  /** The folder is opened once, so that it has no open requests. */
  async function opened(folder: string): Promise<string> {
    await useFolder(configOf(folder, await postgres.server.createDatabase()), async () => undefined);
    return folder;
  }

  test("names the background exports that can be downloaded, and stay where they are", async () => {
    const folder = await dataFolder();
    const url = await postgres.server.createDatabase();
    const wanted = { ownerId: "ada", role: "operator", accountId: null, format: "csv", filters: {} } as const;
    const [done, unfinished] = [makeExport(wanted, Date.now()), makeExport(wanted, Date.now())];
    const chunk = { text: "id\n", rows: 0, total: 0 };
    const write = async (exports: ExportStore): Promise<void> => {
      expect([await exports.add(done), await exports.append(done.id, chunk)]).toEqual([true, "appended"]);
      await exports.end(done.id, "done");
      expect([await exports.add(unfinished), await exports.append(unfinished.id, chunk)]).toEqual([true, "appended"]);
    };
    await useFolder(configOf(folder, url), ({ exports }) => write(exports));
    const there = await toDatabase(folder, url);
    expect([there.exportsLeft, existsSync(join(folder, "exports", `${done.id}.csv`))]).toEqual([[done.id], true]);
    const { pool } = await postgres.open(url);
    const exports = new PostgresExportStore({ pool, instanceId: "i", lostAfter: "interval '30 seconds'", nowMs: Date.now });
    expect(await exports.listOf("ada")).toEqual([]);
    await write(exports);
    await exports.close();
    expect((await toFolder(folder, url, newFolder(), Date.now())).exportsLeft).toEqual([done.id]);
  });

  test("new rows have ids after those that were moved", async () => {
    const url = await postgres.server.createDatabase();
    await toDatabase(await dataFolder(), url);
    const { pool } = await postgres.open(url);
    for (const table of ["announcements", "changes", "deliveries"]) {
      const [row] = await pool.query<{ last: bigint; next: bigint }>(
        `select coalesce(max(id), 0) as last, nextval(pg_get_serial_sequence('${table}', 'id')) as next from ${table}`,
      );
      expect([table, row!.next]).toEqual([table, row!.last + 1n]);
    }
  });

  test("is refused by a database with rows, which stays as it is", async () => {
    const folder = await dataFolder();
    const { url, pool } = await databaseWith("create table other (id integer);;insert into other values (1)");
    expect(await refusalOf(toDatabase(folder, url))).toContain("is not empty: its table other has rows");
    expect(await pool.query("select * from shared_settings")).toHaveLength(0);
    await useFolder(configOf(folder, url), async () => undefined);
  });

  test("that was interrupted leaves a database that cannot be used before it is emptied, and a folder that can", async () => {
    const folder = await dataFolder();
    const refuse = `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'interrupted'; end $$;;
      create trigger refuse before insert on webhooks for each row execute function refuse()`;
    const { url, pool } = await databaseWith(refuse);
    expect(await refusalOf(toDatabase(folder, url))).toContain("interrupted");
    const [count] = await pool.query<{ entries: bigint; keys: bigint }>(
      "select (select count(*) from entries) as entries, (select count(*) from keys) as keys",
    );
    expect([count!.entries > 0n, count!.keys]).toEqual([true, 0n]);
    expect(await refusalOf(refuseMovedDatabase(pool))).toContain("the move was interrupted");
    expect(await refusalOf(toDatabase(folder, url))).toContain("the move was interrupted");
    expect(await refusalOf(toFolder(folder, url, newFolder()))).toContain("the move was interrupted");
    await useFolder(configOf(folder, url), async () => undefined);
    await toDatabase(folder, await postgres.server.createDatabase());
  });

  test("is aborted by a ledger that the auditor rejects, before anything is written", async () => {
    const folder = await opened(await dataFolder());
    const file = fileOf(folder, true);
    file.run("update entries set amount_nanos = amount_nanos + 1 where id = (select min(id) from entries where kind = 'settle')");
    file.close();
    const { url, pool } = await postgres.open();
    expect(await refusalOf(toDatabase(folder, url))).toContain("discrepancies");
    expect(await pool.query("select * from shared_settings")).toHaveLength(0);
    expect(existsSync(join(folder, "moved-to-postgres"))).toBe(false);
  });

  test("is aborted by a row that differs in the copy", async () => {
    const folder = await dataFolder();
    const change = `create function change() returns trigger language plpgsql as $$ begin new.name = new.name || '.'; return new; end $$;;
      create trigger change before insert on keys for each row execute function change()`;
    const { url } = await databaseWith(change);
    expect(await refusalOf(toDatabase(folder, url))).toContain("keys: a row differs");
    expect(existsSync(join(folder, "moved-to-postgres"))).toBe(false);
  });

  test("is aborted by a balance that differs in the copy", async () => {
    const folder = await dataFolder();
    const change = `create function change() returns trigger language plpgsql as $$ begin new.credit_nanos = new.credit_nanos + 1; return new; end $$;;
      create trigger change before insert on purses for each row execute function change()`;
    const { url } = await databaseWith(change);
    expect(await refusalOf(toDatabase(folder, url))).toContain("credit equals the sum of the entries");
  });

  test("to a folder is refused while a process has not ended, and names it", async () => {
    const folder = await dataFolder();
    const url = await postgres.server.createDatabase();
    await toDatabase(folder, url);
    const { pool } = await postgres.open(url);
    const copy = newFolder();
    const add = `insert into instances (id, epoch, applied_seq, state, joined_at, seen_at) values ($1, 1, 0, 'live', now(), now() - $2::interval)`;
    await pool.query(add, ["alive", "0 s"]);
    await pool.query(add, ["gone", "1 h"]);
    expect(await refusalOf(toFolder(folder, url, copy))).toContain("alive (live), gone (lost)");
    expect(existsSync(copy)).toBe(false);
    // The database is not marked as moved, so it can be used as before.
    await refuseMovedDatabase(pool);
    await pool.query("update instances set state = 'closed'");
    await toFolder(folder, url, copy);
  });

  test("to a folder is refused by other secrets, and by a folder with files", async () => {
    const folder = await dataFolder();
    const url = await postgres.server.createDatabase();
    await toDatabase(folder, url);
    const copy = newFolder();
    const other = configOf(folder, url, { ...secretsOf(folder), TOLLGATE_HASH_SECRET: "another-0123456789abcdef-0123456789" });
    const moving = moveToFolder(other, other.database!, { folder: copy, hasRequestLog: true, nowMs: NOW_MS });
    expect(await refusalOf(moving)).toContain("TOLLGATE_HASH_SECRET is not the secret");
    mkdirSync(`${copy}.incomplete`);
    expect(await refusalOf(toFolder(folder, url, copy))).toContain(`${copy}.incomplete exists`);
    mkdirSync(copy);
    writeFileSync(join(copy, "file"), "");
    expect(await refusalOf(toFolder(folder, url, copy))).toContain("is not empty");
  });
});

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}

function fileOf(folder: string, isWritable = false): SqliteFile {
  return new SqliteFile(join(folder, "tollgate.db"), isWritable ? { readwrite: true } : { readonly: true });
}

/** All rows of all tables that are moved. */
function dumpOf(folder: string): Record<string, unknown[]> {
  const file = fileOf(folder);
  try {
    return Object.fromEntries(
      [ENTRIES, ...TABLES].map((table) => [
        table,
        file
          .query<Record<string, unknown>, []>(`select * from ${table}`)
          .all()
          .map((row) => JSON.stringify(row))
          .toSorted(),
      ]),
    );
  } finally {
    file.close();
  }
}

function configOf(dataFolder: string, url: Secret, more: Record<string, string> = {}): StorageConfig {
  return loadStorageConfig({
    TOLLGATE_DATA: dataFolder,
    TOLLGATE_DATABASE_URL: url.reveal(),
    TOLLGATE_REQUEST_LOG_DAYS: "3650",
    ...more,
  });
}

/** The secrets of a folder, as variables. */
function secretsOf(folder: string): Record<string, string> {
  return {
    TOLLGATE_SECRET: readSecret(join(folder, "secret"))!.reveal(),
    TOLLGATE_HASH_SECRET: readSecret(join(folder, "hash-secret"))!.reveal(),
  };
}

async function refusalOf(moving: Promise<unknown>): Promise<string> {
  const [settled] = await Promise.allSettled([moving]);
  if (settled.status === "fulfilled") throw new Error("it was not refused");
  return String(settled.reason);
}

function toDatabase(folder: string, url: Secret): Promise<MoveReport> {
  const config = configOf(folder, url);
  return moveToDatabase(config, config.database!, true, lastChargeMs(folder));
}

function toFolder(from: string, url: Secret, folder: string, nowMs = NOW_MS): Promise<MoveReport> {
  const config = configOf(from, url, secretsOf(from));
  return moveToFolder(config, config.database!, { folder, hasRequestLog: true, nowMs });
}

/** A time on the latest day with a charge, so that the spend of the current day and month is compared. */
function lastChargeMs(folder: string): number {
  const file = fileOf(folder);
  try {
    return file.query<{ ms: number }, []>("select max(at_ms) as ms from entries where kind = 'settle'").get()!.ms;
  } finally {
    file.close();
  }
}
