import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadStorageConfig } from "../../src/config.ts";
import type { Secret } from "../../src/lib/secret/secret.ts";
import { createBackup } from "../../src/main/backup/create-backup.ts";
import { useFolder } from "../../src/main/moving/opened-sides.ts";
import { BackupWriter } from "../../src/stores/backup/backup-writer.ts";
import { CannotMigrate } from "../../src/stores/cannot-migrate.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import { PostgresPool } from "../../src/stores/postgres/postgres-pool.ts";
import { fillFolder } from "../support/gateway/fill-folder.ts";
import { launcher } from "../support/gateway/launcher.ts";
import type { Outcome } from "../support/gateway/run-tollgate.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { postgresFixture } from "../support/postgres/postgres-fixture.ts";
import { SHARED_SECRETS } from "../support/gateway/start-cluster.ts";

const BEFORE_RELEASE = "was written by a version before the first release, and cannot be upgraded. It is unchanged: ";
const REMEDY = "start with an empty data folder or database. To keep its records, export them with the version that wrote it";

const folders: string[] = [];
let filled: string;

beforeAll(async () => {
  filled = (await fillFolder()).path;
  await useFolder(loadStorageConfig({ TOLLGATE_DATA: filled }), async () => undefined);
});
afterAll(() => [...folders, filled].forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-refused-"));
  folders.push(folder);
  return folder;
}

/** A copy of a data folder of this version. */
function copyOfFilled(): string {
  const folder = newFolder();
  cpSync(filled, folder, { recursive: true });
  return folder;
}

function change(folder: string, ...statements: string[]): void {
  const file = new Database(join(folder, "tollgate.db"));
  for (const statement of statements) file.run(statement);
  file.close();
}

/** Each file with its checksum. */
function contents(folder: string): string[][] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return paths.toSorted().map((path) => [path, createHash("sha256").update(readFileSync(path)).digest("hex")]);
}

async function tollgate(args: readonly string[], env: Record<string, string>): Promise<Outcome> {
  const child = Bun.spawn([launcher(), ...args], {
    cwd: newFolder(),
    env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

describe("data of a newer version", () => {
  test("in a data folder is refused in one sentence, and stays unchanged", async () => {
    const folder = copyOfFilled();
    change(folder, "insert into kysely_migration values ('9999-of-the-future', '2030-01-01T00:00:00.000Z')", "create table future (a)");
    const before = contents(folder);
    expect(await tollgate(["start"], { TOLLGATE_DATA: folder })).toEqual({
      code: 1,
      stdout: "",
      stderr:
        `tollgate: the data in ${folder} was used by a newer Tollgate (this version does not know 9999-of-the-future): ` +
        "start that version or a newer one, or restore a backup from before the upgrade.\n",
    });
    expect(contents(folder)).toEqual(before);
  });

  test("in a journal is refused without calling it damaged, and stays unchanged", async () => {
    const folder = copyOfFilled();
    const journal = Buffer.alloc(100);
    journal.write("TGLJ");
    journal.writeUInt32LE(3, 4);
    journal.writeUInt32LE(Bun.hash.crc32(journal.subarray(0, 12)), 12);
    writeFileSync(join(folder, "ledger-journal"), journal);
    const before = contents(folder);
    const error = await openStores({ ...STORE_OPTIONS, dataFolder: folder }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CannotMigrate);
    expect(String(error)).toContain("was used by a newer Tollgate (this version does not know version 3 of ledger-journal)");
    expect(contents(folder)).toEqual(before);
  });
});

const OLD_TABLES = [
  "create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)",
  "create table keys (id text primary key, name text not null)",
  "insert into keys values ('key_1', 'a key')",
];

/**
 * A data folder as versions before the first release wrote it. If the gateway was killed, even before the first checkpoint, the folder
 * has a WAL.
 */
function oldFolder(left: "closed" | "killed" | "never checkpointed"): string {
  const [served, folder] = [newFolder(), newFolder()];
  const file = new Database(join(served, "tollgate.db"));
  file.run("pragma journal_mode = wal");
  for (const statement of OLD_TABLES) file.run(statement);
  file.run("insert into kysely_migration values ('0001-keys', '2026-11-16'), ('0002-ledger', '2026-11-16')");
  if (left !== "never checkpointed") file.run("pragma wal_checkpoint(truncate)");
  file.run("insert into keys values ('key_2', 'another key')");
  if (left === "closed") file.close();
  cpSync(served, folder, { recursive: true });
  if (left !== "closed") file.close();
  mkdirSync(join(folder, "requests"));
  new Database(join(folder, "requests", "2026-11-16.db")).run("create table requests (row integer primary key, more text)");
  for (const name of ["secret", "hash-secret"]) writeFileSync(join(folder, name), "0123456789abcdef0123456789abcdef\n", { mode: 0o600 });
  appendFileSync(join(folder, "ledger-journal"), "a group of the first format");
  return folder;
}

describe("a data folder from before the first release", () => {
  for (const left of ["closed", "killed", "never checkpointed"] as const) {
    test(`that was ${left} is refused by every command, and stays unchanged`, async () => {
      const folder = oldFolder(left);
      const before = contents(folder);
      const env = { TOLLGATE_DATA: folder };
      const message = `the data in ${folder} ${BEFORE_RELEASE}${REMEDY}`;
      const commands = [["start"], ["backup", join(newFolder(), "a.backup")], ["recover"], ["recover", "--accept-loss"]];
      for (const args of commands) {
        expect([args, await tollgate(args, env)]).toEqual([args, { code: 1, stdout: "", stderr: `tollgate: ${message}.\n` }]);
        expect([args, contents(folder)]).toEqual([args, before]);
      }
      const { code, stdout } = await tollgate(["preflight", "--json"], env);
      const checks = [{ name: "data folder", status: "failed", detail: message }];
      expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ checks })]);
      expect(contents(folder)).toEqual(before);
    }, 60_000);
  }

  test("is refused as a backup, and nothing of it is restored", async () => {
    const folder = oldFolder("closed");
    change(folder, "pragma journal_mode = delete");
    const backup = join(folder, "tollgate.db");
    new BackupWriter(backup).seal({ createdAt: "2026-11-16T12:00:00.000Z", version: "0.1.0", source: "/srv/data" });
    const before = contents(folder);
    const to = newFolder();
    for (const args of [
      ["backup", "verify", backup],
      ["restore", backup],
    ]) {
      const stderr = `tollgate: ${backup} ${BEFORE_RELEASE}${REMEDY}.\n`;
      expect([args, await tollgate(args, { TOLLGATE_DATA: to })]).toEqual([args, { code: 1, stdout: "", stderr }]);
    }
    expect(readdirSync(to)).toEqual(["lock"]);
    expect(contents(folder)).toEqual(before);
  });
});

describe.skipIf(!hasPostgres)("a database from before the first release", () => {
  const postgres = postgresFixture();

  /** A database with rows, or only with the migrations. */
  async function oldDatabase(hasRows: boolean): Promise<Secret> {
    const url = await postgres.server.createDatabase();
    await inDatabase(url, async (pool) => {
      for (const statement of hasRows ? OLD_TABLES : OLD_TABLES.slice(0, 2)) await pool.query(statement);
      await pool.query(
        "insert into kysely_migration values ('0016-postgres-platform', '2026-11-16'), ('0017-postgres-ledger', '2026-11-16')",
      );
    });
    return url;
  }

  test("is refused by every command, and stays unchanged", async () => {
    const url = await oldDatabase(true);
    const before = await dump(url);
    const database = { ...SHARED_SECRETS, TOLLGATE_DATABASE_URL: url.reveal() };
    const moved = copyOfFilled();
    const { path: backup } = await createBackup(
      loadStorageConfig({ TOLLGATE_DATA: filled }),
      { path: join(newFolder(), "a.backup"), keep: undefined },
      { hasHashSecret: true, hasCredentials: true, hasRequestLog: false, nowMs: Date.now() },
    );
    const { host, pathname } = new URL(url.reveal());
    const where = `postgres://${host}${pathname}`;
    for (const [args, data, message] of [
      [["start"], newFolder(), `the database ${BEFORE_RELEASE}${REMEDY}`],
      [["backup", join(newFolder(), "a.backup")], newFolder(), `${where} ${BEFORE_RELEASE}${REMEDY}`],
      [["migrate", "--to-folder", join(newFolder(), "data")], newFolder(), `the database ${BEFORE_RELEASE}${REMEDY}`],
      [["migrate", "--to-database"], moved, "is not empty: its table keys has rows. Nothing was changed: use a new one"],
      [["restore", backup], newFolder(), "is not empty: its table keys has rows. Nothing was changed: use a new one"],
    ] as const) {
      const { code, stdout, stderr } = await tollgate(args, { ...database, TOLLGATE_DATA: data });
      expect([args, code, stdout, stderr]).toEqual([args, 1, "", expect.stringContaining(message)]);
      expect([args, await dump(url)]).toEqual([args, before]);
    }
    const { code, stdout } = await tollgate(["preflight", "--json"], { ...database, TOLLGATE_DATA: newFolder() });
    const failed = { name: "database", status: "failed", detail: `${where}: the database ${BEFORE_RELEASE}${REMEDY}` };
    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ checks: [failed] })]);
    expect(await dump(url)).toEqual(before);
  }, 120_000);

  test("without rows is refused as the destination of a move, and stays unchanged", async () => {
    const url = await oldDatabase(false);
    const before = await dump(url);
    const env = { TOLLGATE_DATABASE_URL: url.reveal(), TOLLGATE_DATA: copyOfFilled() };
    const { code, stderr } = await tollgate(["migrate", "--to-database"], env);
    expect([code, stderr]).toEqual([1, `tollgate: the database ${BEFORE_RELEASE}${REMEDY}.\n`]);
    expect(await dump(url)).toEqual(before);
    // The folder can be used as before the rejected start.
    await useFolder(loadStorageConfig({ TOLLGATE_DATA: env.TOLLGATE_DATA }), async () => undefined);
  }, 60_000);
});

async function inDatabase<Result>(url: Secret, use: (pool: PostgresPool) => Promise<Result>): Promise<Result> {
  const pool = new PostgresPool({ url, maxConnections: 1, timeoutMs: 10_000 });
  try {
    return await use(pool);
  } finally {
    await pool.close();
  }
}

/** All relations with their columns and rows, and all functions. A table that was rewritten would have another file. */
function dump(url: Secret): Promise<unknown> {
  return inDatabase(url, async (pool) => {
    const ours = "relnamespace = current_schema()::regnamespace";
    const relations = await pool.query<{ name: string; kind: string }>(
      `select relname::text as name, relkind::text as kind, oid, relfilenode from pg_class where ${ours} order by relname`,
    );
    const rows = [];
    for (const { name, kind } of relations)
      if (kind === "r") rows.push([name, await pool.query(`select ctid::text, t.* from "${name}" t`)]);
    const columns = await pool.query(
      `select attrelid, attnum, attname::text as name from pg_attribute join pg_class c on c.oid = attrelid where ${ours} order by 1, 2`,
    );
    const functions = await pool.query("select oid from pg_proc where pronamespace = current_schema()::regnamespace");
    return [relations, rows, columns, functions];
  });
}
