import * as fs from "node:fs";
import { afterAll, afterEach, expect, spyOn, test } from "bun:test";
import { Database as SqliteFile } from "bun:sqlite";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { SmallDisk } from "../../../test/crash/small-disk.ts";
import { fillFolder } from "../../../test/support/gateway/fill-folder.ts";
import { inLaterVersion } from "../../../test/support/later-migration.ts";
import { loadStorageConfig, type StorageConfig } from "../../config.ts";
import { BackupWriter } from "../../stores/backup/backup-writer.ts";
import { lockFolder } from "../../stores/folder-lock.ts";
import { filesIn } from "../../stores/integrity/folder-files.ts";
import { restoringIn } from "../../stores/interrupted-restore.ts";
import { MIGRATIONS } from "../../stores/migrations/migrate.ts";
import { useFolder } from "../moving/opened-sides.ts";
import { createBackup, type BackupResult } from "./create-backup.ts";
import type { BackupOptions } from "./backup-options.ts";
import { readLastBackup } from "./last-backup.ts";
import { restoreBackup, type RestoredBackup } from "./restore-backup.ts";
import { verifyBackup } from "./verify-backup.ts";
import { openWithoutWal } from "../../stores/integrity/read-database.ts";

const NOW_MS = Date.parse("2027-01-31T02:15:00Z");
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-backup-"));
  folders.push(folder);
  return folder;
}

/** A data folder with records of every kind, and no open request. */
async function dataFolder(): Promise<string> {
  const { path } = await fillFolder();
  folders.push(path);
  await useFolder(configOf(path), async () => undefined);
  // A start writes the rows again after a second.
  change(path, "delete from progress");
  return path;
}

function configOf(folder: string, variables: Record<string, string> = {}): StorageConfig {
  return loadStorageConfig({ TOLLGATE_DATA: folder, ...variables });
}

interface Choice extends Partial<BackupOptions> {
  readonly keep?: number;
  readonly variables?: Record<string, string>;
}

function backUp(folder: string, path: string, { keep, variables, ...options }: Choice = {}): Promise<BackupResult> {
  const all = { hasHashSecret: true, hasCredentials: false, hasRequestLog: false, nowMs: NOW_MS, ...options };
  return createBackup(configOf(folder, variables), { path, keep }, all);
}

function restore(path: string, to: string, variables: Record<string, string> = {}): Promise<RestoredBackup> {
  return restoreBackup(configOf(to, variables), path, NOW_MS);
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const [result] = await Promise.allSettled([work]);
  if (result.status === "fulfilled") throw new Error("it was not refused");
  return (result.reason as Error).message;
}

function change(folder: string, sql: string): void {
  const file = new SqliteFile(filesIn(folder).database);
  file.run(sql);
  file.close();
}

/** All rows of all tables. */
function dump(folder: string): object {
  const file = openWithoutWal(filesIn(folder).database);
  const tables = file.query<{ name: string }, []>("select name from sqlite_schema where type = 'table' order by name").all();
  const rows = tables.map(({ name }) => [name, file.query(`select * from "${name}"`).values()]);
  file.close();
  return Object.fromEntries(rows);
}

test("a restored folder has every row, the hash secret, and no other secret", async () => {
  const folder = await dataFolder();
  const path = join(newFolder(), "a.backup");
  const made = await backUp(folder, path);
  expect(made).toMatchObject({ path, manifest: { source: folder }, requestLog: undefined, unshipped: [], deleted: [] });
  expect(made.audited!.entries).toBeGreaterThan(0);
  expect([statSync(path).mode & 0o777, statSync(path).size]).toEqual([0o600, made.bytes]);
  expect(readLastBackup(folder)).toMatchObject({ path, createdAt: new Date(NOW_MS).toISOString(), files: ["tollgate.db", "hash-secret"] });
  expect(readdirSync(dirname(path))).toEqual(["a.backup"]);
  const to = join(newFolder(), "data");
  const restored = await restore(path, to);
  expect(restored.audited).toEqual(made.audited!);
  expect(dump(to)).toEqual(dump(folder));
  expect(readdirSync(to).toSorted()).toEqual(["hash-secret", "lock", "tollgate.db"]);
  expect(readFileSync(join(to, "hash-secret"), "utf8")).toBe(readFileSync(join(folder, "hash-secret"), "utf8"));
  for (const name of ["hash-secret", "tollgate.db"]) expect(statSync(join(to, name)).mode & 0o777).toBe(0o600);
  await useFolder({ ...configOf(to), secret: loadStorageConfig({ TOLLGATE_SECRET: secretOf(folder) }).secret }, async () => undefined);
});

test("includes the request log and the vault secret where they are chosen, and leaves the hash secret out", async () => {
  const folder = await dataFolder();
  const path = join(newFolder(), "a.backup");
  const made = await backUp(folder, path, { hasCredentials: true, hasRequestLog: true, hasHashSecret: false });
  const days = readdirSync(join(folder, "requests")).filter((name) => name.endsWith(".db"));
  expect(days.length).toBeGreaterThan(0);
  expect(made.requestLog!.copied.map((day) => `${day}.db`)).toEqual(days);
  const to = join(newFolder(), "data");
  await restore(path, to);
  expect(readdirSync(join(to, "requests"))).toEqual(days);
  expect(secretOf(to)).toBe(secretOf(folder));
  expect(existsSync(join(to, "hash-secret"))).toBe(false);
  // With this file, a start notices a wrong hash secret.
  expect(existsSync(join(to, "hash-secret-check"))).toBe(true);
});

test("includes a hash secret that is given by its variable, and refuses one that no key is hashed with", async () => {
  const folder = await dataFolder();
  const hashSecret = readFileSync(join(folder, "hash-secret"), "utf8").trim();
  const path = join(newFolder(), "a.backup");
  await backUp(folder, path, { variables: { TOLLGATE_HASH_SECRET: hashSecret } });
  const to = join(newFolder(), "data");
  await restore(path, to);
  expect(readFileSync(join(to, "hash-secret"), "utf8").trim()).toBe(hashSecret);
  const other = join(newFolder(), "b.backup");
  expect(await refusalOf(backUp(folder, other, { variables: { TOLLGATE_HASH_SECRET: "another-hash-secret-0123456789abcdef" } }))).toContain(
    "no key would be valid",
  );
  expect(readdirSync(dirname(other))).toEqual([]);
});

test("does not replace a file, and leaves nothing behind where it fails", async () => {
  const folder = await dataFolder();
  const to = newFolder();
  writeFileSync(join(to, "a.backup"), "mine");
  expect(await refusalOf(backUp(folder, join(to, "a.backup")))).toContain("a backup does not replace a file");
  expect(await refusalOf(backUp(folder, join(to, "missing", "a.backup")))).toContain("there is no folder");
  expect(await refusalOf(backUp(newFolder(), join(to, "b.backup")))).toContain("there is no data in");
  change(folder, "update entries set amount_nanos = amount_nanos + 1 where id = (select min(id) from entries where kind = 'settle')");
  expect(await refusalOf(backUp(folder, join(to, "b.backup")))).toContain("discrepancies");
  expect(readdirSync(to)).toEqual(["a.backup"]);
  expect(readFileSync(join(to, "a.backup"), "utf8")).toBe("mine");
});

test("refuses a damaged folder, and one that was moved to PostgreSQL", async () => {
  const folder = await dataFolder();
  const to = join(newFolder(), "a.backup");
  writeFileSync(join(folder, "moved-to-postgres"), "postgres://db/tollgate\n");
  expect(await refusalOf(backUp(folder, to))).toContain("was moved to a PostgreSQL database");
  rmSync(join(folder, "moved-to-postgres"));
  writeFileSync(filesIn(folder).journal, readFileSync(filesIn(folder).journal).subarray(0, 50));
  expect(await refusalOf(backUp(folder, to))).toContain("is damaged");
});

test("in a folder, has a dated name, and deletes the oldest of its own", async () => {
  const folder = await dataFolder();
  const to = newFolder();
  const foreign = ["tollgate-2020-01-01T000000Z.backup.gz", "other.backup"];
  for (const name of foreign) writeFileSync(join(to, name), "");
  const abandoned = join(to, "tollgate-2027-01-30T021500Z.backup.incomplete");
  mkdirSync(abandoned);
  writeFileSync(join(abandoned, "tollgate.db"), "half");
  const running = join(to, "tollgate-2027-01-30T031500Z.backup.incomplete");
  mkdirSync(running);
  const lock = lockFolder(running);
  const hourMs = 3_600_000;
  for (const at of [0, 1, 2]) await backUp(folder, to, { nowMs: NOW_MS + at * hourMs, keep: 3 });
  const { deleted } = await backUp(folder, to, { nowMs: NOW_MS + 3 * hourMs, keep: 2 });
  expect(deleted.map((path) => basename(path))).toEqual(["tollgate-2027-01-31T021500Z.backup", "tollgate-2027-01-31T031500Z.backup"]);
  expect(readdirSync(to).toSorted()).toEqual(
    [...foreign, basename(running), "tollgate-2027-01-31T041500Z.backup", "tollgate-2027-01-31T051500Z.backup"].toSorted(),
  );
  lock.release();
  expect(await refusalOf(backUp(folder, join(to, "new.backup"), { keep: 2 }))).toContain("is not a folder");
});

test("follows no link that replaces its folder, and uses no folder of another user", async () => {
  const [from, shared, victim] = [await dataFolder(), newFolder(), newFolder()];
  writeFileSync(join(victim, "file"), "kept");
  const path = join(shared, "tollgate.backup");
  const dated = join(shared, "tollgate-2027-01-30T021500Z.backup.incomplete");
  for (const place of [`${path}.incomplete`, dated]) symlinkSync(victim, place);
  expect(await refusalOf(backUp(from, path))).toBe(`${path}.incomplete is not a folder of this user that a backup has left: remove it`);
  await backUp(from, shared, { keep: 3 });
  expect(readdirSync(victim)).toEqual(["file"]);
  expect(readlinkSync(dated)).toBe(victim);

  rmSync(`${path}.incomplete`);
  mkdirSync(`${path}.incomplete`, { mode: 0o700 });
  chmodSync(`${path}.incomplete`, 0o777);
  expect(await refusalOf(backUp(from, path))).toContain("is not a folder of this user");
});

test("two backups to the same file do not disturb each other", async () => {
  const folder = await dataFolder();
  const path = join(newFolder(), "a.backup");
  const results = await Promise.allSettled([backUp(folder, path), backUp(folder, path)]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  await verifyBackup(path, NOW_MS);
});

test("a backup of an earlier version is restored and migrated; data of another version is not backed up", async () => {
  const earlier = await dataFolder();
  const path = join(newFolder(), "a.backup");
  await backUp(earlier, path);
  await inLaterVersion(MIGRATIONS, async () => {
    expect(await refusalOf(backUp(earlier, join(newFolder(), "a.backup")))).toContain("was last used by an earlier Tollgate");
    expect((await verifyBackup(path, NOW_MS)).audited).toBeUndefined();
    const to = join(newFolder(), "data");
    expect((await restore(path, to)).audited.entries).toBeGreaterThan(0);
    expect(dump(to)).toHaveProperty("added_later");
  });

  const newer = await dataFolder();
  change(newer, "insert into kysely_migration values ('9999-future', '2030-01-01')");
  expect(await refusalOf(backUp(newer, join(newFolder(), "a.backup")))).toContain("is used by a newer Tollgate, with 9999-future");
  change(newer, "pragma journal_mode = delete");
  const newest = filesIn(newer).database;
  new BackupWriter(newest).seal({ createdAt: new Date(NOW_MS).toISOString(), version: "9.0.0", source: "/srv/data" });
  const empty = join(newFolder(), "data");
  for (const work of [verifyBackup(newest, NOW_MS), restore(newest, empty)])
    expect(await refusalOf(work)).toContain("newer Tollgate, 9.0.0");
  expect(readdirSync(empty)).toEqual(["lock"]);
});

test("a restore refuses a folder with anything in it, and one in use, and changes nothing there", async () => {
  const folder = await dataFolder();
  const path = join(newFolder(), "a.backup");
  await backUp(folder, path);
  const before = dump(folder);
  expect(await refusalOf(restore(path, folder))).toContain("is not empty");
  expect(dump(folder)).toEqual(before);
  const used = newFolder();
  const lock = lockFolder(used);
  expect(await refusalOf(restore(path, used))).toContain("another Tollgate process is using");
  lock.release();
  // A process that has ended has left its journal in the folder.
  mkdirSync(join(used, "processes", "a"), { recursive: true });
  expect(await refusalOf(restore(path, used))).toContain("is not empty, it has processes");
  // All processes have ended, and their journals are in a ledger.
  rmSync(join(used, "processes", "a"), { recursive: true });
  // An empty disk is mounted there.
  mkdirSync(join(used, "lost+found"));
  // The file is left by backups of a database.
  writeFileSync(join(used, "last-backup.json"), "{}");
  await restore(path, used);
  expect(dump(used)).toEqual(before);
});

test.skipIf(process.geteuid?.() !== 0)("root restores for the user who has the folder", async () => {
  const [from, to] = [await dataFolder(), newFolder()];
  const { path } = await backUp(from, join(newFolder(), "tollgate.backup"), { hasRequestLog: true });
  chownSync(to, 65_534, 65_534);
  await restore(path, to);
  const owners = readdirSync(to, { recursive: true, encoding: "utf8" }).map((name) => [name, statSync(join(to, name)).uid]);
  expect(owners.length).toBeGreaterThan(3);
  expect(owners.filter(([, uid]) => uid !== 65_534)).toEqual([]);
});

test("a restore that was interrupted is repeated, and no gateway starts before", async () => {
  const folder = await dataFolder();
  const path = join(newFolder(), "a.backup");
  await backUp(folder, path);
  const to = newFolder();
  mkdirSync(restoringIn(to));
  writeFileSync(join(restoringIn(to), "tollgate.db"), "half");
  writeFileSync(join(to, "hash-secret"), "of the backup");
  expect(await refusalOf(useFolder(configOf(to), async () => undefined))).toContain("the restore was interrupted: repeat it");
  await restore(path, to);
  expect(dump(to)).toEqual(dump(folder));
  expect(existsSync(restoringIn(to))).toBe(false);
});

test("a restore of a damaged backup leaves an empty folder", async () => {
  const folder = await dataFolder();
  const path = join(newFolder(), "a.backup");
  await backUp(folder, path);
  const bytes = readFileSync(path);
  bytes[5000]! ^= 1;
  writeFileSync(path, bytes);
  const to = join(newFolder(), "data");
  for (const work of [verifyBackup(path, NOW_MS), restore(path, to)])
    expect(await refusalOf(work)).toContain("does not match its checksum");
  expect(readdirSync(to)).toEqual(["lock"]);
});

function secretOf(folder: string): string {
  return readFileSync(join(folder, "secret"), "utf8").trim();
}

const disk = SmallDisk.mount(1);
if (!disk) process.stderr.write("The test of a full disk in src/main/backup is skipped: this user may not mount a tmpfs\n");
afterAll(() => disk?.unmount());

test.skipIf(!disk)("a disk that becomes full ends a backup and a restore, and nothing is left on it", async () => {
  const folder = await dataFolder();
  const path = join(newFolder(), "a.backup");
  await backUp(folder, path, { hasRequestLog: true });
  const space = spyOn(fs, "statfsSync").mockReturnValue({ bavail: 1e9, bsize: 4096 } as fs.StatsFs);
  try {
    mkdirSync(join(disk!.path, "data"));
    disk!.fill();
    expect(await refusalOf(backUp(folder, join(disk!.path, "a.backup")))).toMatch(/is full/);
    expect(await refusalOf(restore(path, join(disk!.path, "data")))).toMatch(/is full/);
    expect(readdirSync(disk!.path).toSorted()).toEqual(["ballast", "data"]);
    expect(readdirSync(join(disk!.path, "data"))).toEqual(["lock"]);
  } finally {
    space.mockRestore();
  }
});
