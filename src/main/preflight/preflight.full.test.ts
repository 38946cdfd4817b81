import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import { fillFolder } from "../../../test/support/gateway/fill-folder.ts";
import { inLaterVersion, LATER } from "../../../test/support/later-migration.ts";
import { loadStorageConfig, SETTINGS } from "../../config.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { lockFolder } from "../../stores/folder-lock.ts";
import { MIGRATIONS, POSTGRES_MIGRATIONS } from "../../stores/migrations/migrate.ts";
import { markFolderMoved } from "../../stores/moved-folder.ts";
import { confirmSecrets } from "../../stores/postgres/confirm-secrets.ts";
import { writeMoveState } from "../../stores/postgres/move-state.ts";
import type { Check, PreflightReport } from "./check.ts";
import { hasFailed, preflight } from "./preflight.ts";
import { SHARED_SECRETS } from "../../../test/support/gateway/start-cluster.ts";

function check({ checks }: PreflightReport, name: string): Check | undefined {
  return checks.find((each) => each.name === name);
}

function failedIn({ checks }: PreflightReport): string[] {
  return checks.filter(({ status }) => status === "failed").map(({ name }) => name);
}

describe.skipIf(!hasPostgres)("the preflight of a database", () => {
  const postgres = postgresFixture();

  test("of a new one lists all migrations, and changes nothing", async () => {
    const url = await postgres.server.createDatabase();
    const report = await examineDatabase(url);
    expect([failedIn(report), hasFailed(report)]).toEqual([[], false]);
    expect(report.migrations.map(({ name }) => name)).toEqual(Object.keys(POSTGRES_MIGRATIONS));
    expect(await examineDatabase(url)).toMatchObject({ migrations: report.migrations });
  });

  test("of one in use lists no migrations, and compares the secrets", async () => {
    const { url, pool } = await postgres.open();
    await confirmSecrets(pool, [{ name: SETTINGS.hashSecret, secret: new Secret(SHARED_SECRETS.TOLLGATE_HASH_SECRET) }]);
    const report = await examineDatabase(url);
    expect([failedIn(report), report.migrations]).toEqual([[], []]);
    const other = await examineDatabase(url, { TOLLGATE_HASH_SECRET: "another-0123456789abcdef-0123456789" });
    expect(check(other, "secrets")).toMatchObject({ status: "failed", detail: "TOLLGATE_HASH_SECRET differs from the database's" });
    const none = await examineDatabase(url, { TOLLGATE_OPERATOR_TOKEN: "" });
    expect(check(none, "secrets")).toMatchObject({
      status: "failed",
      detail: expect.stringContaining("TOLLGATE_OPERATOR_TOKEN must be set"),
    });
  });

  test("names processes that are lost, and a move that was interrupted", async () => {
    const { url, pool } = await postgres.open();
    await pool.query(`insert into instances (id, epoch, applied_seq, state, joined_at, seen_at)
      values ('gone', 1, 0, 'live', now(), now() - interval '1 hour')`);
    expect(check(await examineDatabase(url), "processes")).toMatchObject({ status: "warning", detail: expect.stringContaining("gone") });
    await writeMoveState(pool, { kind: "arriving" });
    expect(check(await examineDatabase(url), "data")).toMatchObject({ status: "failed" });
  });

  test("counts the connections of all processes of a start, and of their owner", async () => {
    const { url } = await postgres.open();
    expect(check(await examineDatabase(url), "connections")?.detail).toEndWith("a start opens up to 11");
    expect(check(await examineDatabase(url, { TOLLGATE_PROCESSES: "4" }), "connections")?.detail).toEndWith("a start opens up to 55");
    const many = check(await examineDatabase(url, { TOLLGATE_PROCESSES: "64" }), "connections");
    expect(many).toMatchObject({ status: "failed", detail: expect.stringContaining("raise max_connections") });
  });

  test("of a role without privileges fails, before and after the tables exist", async () => {
    const { url, pool } = await postgres.open();
    const role = `reader_${new URL(url.reveal()).pathname.slice(1)}`;
    await pool.query(`create role ${role} login`);
    const address = new URL(url.reveal());
    address.username = role;
    expect(check(await examineDatabase(new Secret(address.href)), "privileges")).toMatchObject({
      status: "failed",
      detail: expect.stringContaining("grant create on schema public"),
    });
    await pool.query(`grant create on schema public to ${role}`);
    expect(check(await examineDatabase(new Secret(address.href)), "privileges")).toMatchObject({
      status: "failed",
      detail: expect.stringContaining("cannot read and write access_tokens"),
    });
  });

  test("fails where the server does not answer, or the database is read-only, without the password", async () => {
    const { url, pool } = await postgres.open();
    const report = await examineDatabase(new Secret("postgres://someone:sesame-opens@127.0.0.1:1/none"));
    expect(failedIn(report)).toEqual(["database"]);
    expect(JSON.stringify(report)).not.toContain("sesame");
    await pool.query(`alter database ${new URL(url.reveal()).pathname.slice(1)} set default_transaction_read_only = on`);
    expect(failedIn(await examineDatabase(url))).toEqual(["writable"]);
  });
});

describe("the preflight of a data folder", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  async function dataFolder(): Promise<string> {
    const { path } = await fillFolder();
    folders.push(path);
    return path;
  }

  test("warns of one that does not exist", async () => {
    const parent = mkdtempSync(join(tmpdir(), "tollgate-preflight-"));
    folders.push(parent);
    const report = await examineFolder(join(parent, "data"));
    const detail = expect.stringContaining("does not exist: a start creates it. Set TOLLGATE_DATA if") as string;
    expect([hasFailed(report), report.checks]).toEqual([false, [{ name: "data folder", status: "warning", detail }]]);
  });

  test("of an earlier version lists its pending migrations, and changes nothing", async () => {
    const folder = await dataFolder();
    await inLaterVersion(MIGRATIONS, async () => {
      const report = await examineFolder(folder);
      expect(failedIn(report)).toEqual([]);
      expect(report.migrations.map(({ name }) => name)).toEqual([LATER]);
      expect((await examineFolder(folder)).migrations).toEqual(report.migrations);
    });
  });

  test("fails for one that was moved, lacks its secret, or is damaged, and warns of one in use", async () => {
    const folder = await dataFolder();
    const lock = lockFolder(folder);
    expect(check(await examineFolder(folder), "integrity")).toMatchObject({ status: "warning" });
    lock.release();
    rmSync(join(folder, "hash-secret"));
    expect(failedIn(await examineFolder(folder))).toEqual(["secrets"]);
    markFolderMoved(folder, "postgres://db/tollgate", 0);
    expect(failedIn(await examineFolder(folder))).toEqual(["data folder"]);
    rmSync(join(folder, "moved-to-postgres"));
    writeFileSync(join(folder, "tollgate.db"), "not a database".repeat(1000));
    expect(hasFailed(await examineFolder(folder))).toBe(true);
  });

  test("reads the kernel's setting for several processes alone", async () => {
    const folder = await dataFolder();
    expect(check(await examineFolder(folder, { TOLLGATE_PROCESSES: "2" }), "kernel")).toBeDefined();
    expect(check(await examineFolder(folder), "kernel")).toBeUndefined();
  });
});

function examineDatabase(url: Secret, more: Record<string, string> = {}): Promise<PreflightReport> {
  return preflight(loadStorageConfig({ ...SHARED_SECRETS, TOLLGATE_DATABASE_URL: url.reveal(), ...more }));
}

function examineFolder(folder: string, more: Record<string, string> = {}): Promise<PreflightReport> {
  return preflight(loadStorageConfig({ TOLLGATE_DATA: folder, ...more }));
}
