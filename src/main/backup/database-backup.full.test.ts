import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import { fillFolder } from "../../../test/support/gateway/fill-folder.ts";
import { inLaterVersion, LATER } from "../../../test/support/later-migration.ts";
import { loadStorageConfig, type StorageConfig } from "../../config.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { filesIn } from "../../stores/integrity/folder-files.ts";
import { POSTGRES_MIGRATIONS } from "../../stores/migrations/migrate.ts";
import { moveToDatabase } from "../moving/move-to-database.ts";
import type { BackupOptions } from "./backup-options.ts";
import { createBackup, type BackupResult } from "./create-backup.ts";
import { restoreBackup } from "./restore-backup.ts";
import { openWithoutWal } from "../../stores/integrity/read-database.ts";

const NOW_MS = Date.parse("2027-01-31T02:15:00Z");
const ALL = { hasHashSecret: true, hasCredentials: true, hasRequestLog: true, nowMs: NOW_MS };

describe.skipIf(!hasPostgres)("a backup of a database", () => {
  const postgres = postgresFixture();
  const folders: string[] = [];

  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  function newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-backup-"));
    folders.push(folder);
    return folder;
  }

  /** A database with records of every kind, and the data folder with its secrets. */
  async function database(): Promise<{ readonly folder: string; readonly url: Secret; readonly config: StorageConfig }> {
    const { path: folder } = await fillFolder();
    folders.push(folder);
    const url = await postgres.server.createDatabase();
    const config = configOf(folder, url, newFolder());
    await moveToDatabase({ ...config, dataFolder: folder }, config.database!, true, NOW_MS);
    return { folder, url, config };
  }

  function backUp(config: StorageConfig, options: Partial<BackupOptions> = {}): Promise<BackupResult> {
    return createBackup(config, { path: join(newFolder(), "a.backup"), keep: undefined }, { ...ALL, ...options });
  }

  test("is restored into a data folder with every row", async () => {
    const { folder, config } = await database();
    const made = await backUp(config);
    expect(made.audited!.entries).toBeGreaterThan(0);
    expect(made.requestLog!.copied.length).toBeGreaterThan(0);
    const to = join(newFolder(), "data");
    await restoreBackup(loadStorageConfig({ TOLLGATE_DATA: to }), made.path, NOW_MS);
    expect(dump(filesIn(to).database)).toEqual(dump(filesIn(folder).database));
    expect(readdirSync(join(to, "requests")).length).toBe(made.requestLog!.copied.length);
    for (const name of ["secret", "hash-secret"])
      expect(readFileSync(join(to, name), "utf8").trim()).toBe(readFileSync(join(folder, name), "utf8").trim());
  }, 60_000);

  test("is restored into an empty database, whose backup is the same", async () => {
    const { folder, config } = await database();
    const made = await backUp(config);
    const dataFolder = newFolder();
    const other = configOf(folder, await postgres.server.createDatabase(), dataFolder);
    expect(await refusalOf(restoreBackup({ ...config, dataFolder }, made.path, NOW_MS))).toContain("is not empty: its table");
    expect(readdirSync(dataFolder)).toEqual(["lock"]);
    const restored = await restoreBackup(other, made.path, NOW_MS);
    expect(restored).toMatchObject({
      audited: made.audited,
      to: made.manifest.source.replace(/test_\d+$/, restored.to.split("/").at(-1)!),
    });
    expect(readdirSync(dataFolder)).toEqual(["lock"]);
    const again = await backUp(other);
    expect(dump(again.path)).toEqual(dump(made.path));
    expect(again.requestLog).toEqual(made.requestLog);
  }, 60_000);

  test("ends what is in flight, by its last reported progress, and names lost processes", async () => {
    const { url, config } = await database();
    const { pool } = await postgres.open(url);
    const progress = {
      usage: { promptTokens: 1, completionTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      costNanos: "16000",
    };
    const known = { provenance: "estimated", upstream: "u", upstreamModel: "m" };
    await pool.query(
      "insert into instances (id, epoch, applied_seq, state, joined_at, seen_at, durability, stated_run) values ('p1', 1, 2, 'live', now() - interval '1 day', now() - interval '1 day', 'process', '')",
    );
    await pool.transaction(async (connection) => {
      for (const [requestId, reported] of [
        ["r1", null],
        ["r2", JSON.stringify({ ...progress, ...known })],
      ]) {
        await connection.query("update ledger_head set last_id = last_id + 1");
        await connection.query(
          `insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, request_id, key_id, model, price_version, instance_id, seq)
            select last_id, 'default', 'hold', 90000, $2::bigint, k.id, '', $1, k.id, 'm', p.version, 'p1', last_id from ledger_head,
              (select id from keys order by id limit 1) k, (select version from prices where price_list is null) p`,
          [requestId, NOW_MS],
        );
        await connection.query(
          `insert into open_holds (request_id, hold_id, instance_id, account_id, key_id, amount_nanos, progress)
            select request_id, id, 'p1', account_id, key_id, amount_nanos, $2 from entries where request_id = $1`,
          [requestId, reported],
        );
      }
    });
    const made = await backUp(config);
    expect(made.unshipped).toEqual(["p1"]);
    const file = openWithoutWal(made.path);
    const ends = file.query(
      "select request_id, kind, actor, amount_nanos from entries where request_id in ('r1', 'r2') and kind <> 'hold' order by 1",
    );
    expect(ends.values()).toEqual([
      ["r1", "release", "recovery", 0],
      ["r2", "settle", "recovery", 16000],
    ]);
    file.close();
  }, 60_000);

  test("is refused where the auditor rejects the sums of the database, and where a secret is missing or another", async () => {
    const { url, config } = await database();
    expect(await refusalOf(backUp({ ...config, hashSecret: undefined }))).toContain("TOLLGATE_HASH_SECRET is not set");
    expect(await refusalOf(backUp({ ...config, secret: config.hashSecret }))).toContain("TOLLGATE_SECRET is not the secret");
    await backUp({ ...config, hashSecret: undefined, secret: undefined }, { hasHashSecret: false, hasCredentials: false });
    const { pool } = await postgres.open(url);
    await pool.query("update purses set credit_nanos = credit_nanos + 1 where scope = 'account'");
    expect(await refusalOf(backUp(config))).toContain("credit equals the sum of the entries");
  }, 60_000);

  test("is refused of a database that no gateway has used, or another version uses, which is not migrated", async () => {
    const empty = await postgres.server.createDatabase();
    const { folder, url } = await database();
    expect(await refusalOf(backUp(configOf(folder, empty, newFolder())))).toContain("no gateway has used it");
    const { pool } = await postgres.open(url);
    await pool.query("insert into kysely_migration values ('9999-future', '2030-01-01')");
    expect(await refusalOf(backUp(configOf(folder, url, newFolder())))).toContain("used by a newer Tollgate, with 9999-future");
    await pool.query("delete from kysely_migration where name = '9999-future'");
    await inLaterVersion(POSTGRES_MIGRATIONS, async () => {
      expect(await refusalOf(backUp(configOf(folder, url, newFolder())))).toContain(`an earlier Tollgate, without ${LATER}`);
    });
    expect(await pool.query("select 1 from kysely_migration")).toHaveLength(Object.keys(POSTGRES_MIGRATIONS).length);
  }, 60_000);
});

/** The settings of a gateway, with the secrets of a folder. */
function configOf(folder: string, url: Secret, dataFolder: string): StorageConfig {
  const [secret, hashSecret] = ["secret", "hash-secret"].map((name) => readFileSync(join(folder, name), "utf8").trim());
  return loadStorageConfig({
    TOLLGATE_DATA: dataFolder,
    TOLLGATE_DATABASE_URL: url.reveal(),
    TOLLGATE_SECRET: secret,
    TOLLGATE_HASH_SECRET: hashSecret,
  });
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const [result] = await Promise.allSettled([work]);
  if (result.status === "fulfilled") throw new Error("it was not refused");
  return (result.reason as Error).message;
}

function dump(path: string): object {
  const file = openWithoutWal(path);
  const tables = ["accounts", "answers", "changes", "entries", "keys", "people", "sessions", "upstreams", "webhooks"];
  const rows = tables.map((name) => [name, file.query(`select * from "${name}" order by 1`).values()]);
  file.close();
  return Object.fromEntries(rows);
}
