import { SETTINGS, type StorageConfig } from "../../config.ts";
import type { DatabaseSettings } from "../../config/database-settings.ts";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
import { reportInstances } from "../../stores/ledger/postgres/instance-rows.ts";
import { MIGRATION_NOTES } from "../../stores/migrations/migration-notes.ts";
import { POSTGRES_MIGRATIONS, refuseBeforeFirstRelease } from "../../stores/migrations/migrate.ts";
import { CONNECTIONS_OF_PROCESS } from "../../stores/open-cluster-stores.ts";
import { findOtherSecret } from "../../stores/postgres/confirm-secrets.ts";
import { describeMove, readMoveState } from "../../stores/postgres/move-state.ts";
import { PostgresPool } from "../../stores/postgres/postgres-pool.ts";
import { addressOf } from "../moving/move-report.ts";
import { MIN_SERVER_VERSION } from "../moving/move-to-database.ts";
import { failed, ok, warning, type Check, type PendingMigration, type PreflightReport } from "./check.ts";

const TIMEOUT_MS = 10_000;
/**
 * A larger difference suggests that one of the two clocks is wrong. Requests do not depend on it, because all processes use the database's
 * clock.
 */
const MAX_CLOCK_DIFFERENCE_MS = 5000;

interface Server {
  readonly version: string;
  readonly version_number: string;
  readonly encoding: string;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
  readonly schema: string | null;
  readonly may_create: boolean | null;
  readonly now_ms: bigint;
  readonly free_connections: bigint;
}

/** The number of connections available to ordinary users on the server, in this database and for this role. -1 means no limit. */
const SERVER = `select current_setting('server_version') as version, current_setting('server_version_num') as version_number,
  current_setting('server_encoding') as encoding, pg_is_in_recovery() as is_standby,
  current_setting('default_transaction_read_only') = 'on' as is_read_only, current_schema()::text as schema,
  has_schema_privilege(current_schema(), 'CREATE') as may_create, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms,
  least(
    current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
      - (select count(*) from pg_stat_activity where backend_type = 'client backend'),
    (select case when datconnlimit < 0 then 100000 else datconnlimit end
      - (select count(*) from pg_stat_activity where datname = current_database()) from pg_database where datname = current_database()),
    (select case when rolconnlimit < 0 then 100000 else rolconnlimit end
      - (select count(*) from pg_stat_activity where usename = current_user) from pg_roles where rolname = current_user)
  ) + 1 as free_connections`;

/** Tables that the role cannot read, write or alter. */
const NOT_OURS = `select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = current_schema() and c.relkind = 'r' and not (pg_has_role(c.relowner, 'USAGE')
    or has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE') and not $1::boolean) order by 1 limit 3`;

export async function examineDatabase(config: StorageConfig, { url }: DatabaseSettings): Promise<PreflightReport> {
  const storage = addressOf(url);
  const pool = new PostgresPool({ url, maxConnections: 1, timeoutMs: TIMEOUT_MS });
  try {
    const sentAtMs = Date.now();
    const [server] = await pool.query<Server>(SERVER);
    const halfwayMs = (sentAtMs + Date.now()) / 2;
    const checks = [ok("database", `${storage} answers`), ...checkServer(server!)];
    const privileges = await checkPrivileges(pool, server!, false);
    // Without these privileges the tables cannot be read.
    if (privileges.status === "failed") return { storage, migrations: [], checks: [...checks, privileges] };
    const applied = await appliedMigrations(pool);
    refuseBeforeFirstRelease(applied, "the database");
    const migrations = pendingMigrations(applied);
    const newer = applied.filter((name) => !Object.hasOwn(POSTGRES_MIGRATIONS, name));
    const isMigrated = await hasTable(pool, "shared_settings");
    return {
      storage,
      migrations,
      checks: [
        ...checks,
        migrations.length > 0 ? await checkPrivileges(pool, server!, true) : privileges,
        checkMigrations(migrations, newer),
        await checkSecrets(pool, config, isMigrated),
        ...(isMigrated ? [await checkMove(pool)] : []),
        ...((await hasTable(pool, "instances")) ? [await checkInstances(pool)] : []),
        checkClock(Number(server!.now_ms) - halfwayMs),
        checkConnections(Number(server!.free_connections), config.processes),
      ],
    };
  } catch (error) {
    const { message, cause } = error as Error;
    const why = error instanceof StorageUnavailable && cause instanceof Error ? `${message} (${url.redactFrom(cause.message)})` : message;
    return { storage, migrations: [], checks: [failed("database", `${storage}: ${why}`)] };
  } finally {
    await pool.close();
  }
}

function checkServer(server: Server): Check[] {
  const { version, version_number: number, encoding, is_standby: isStandby, is_read_only: isReadOnly } = server;
  return [
    Number(number) >= MIN_SERVER_VERSION
      ? ok("server version", `PostgreSQL ${version}`)
      : failed("server version", `PostgreSQL ${version}: it must be 15 or newer`),
    encoding === "UTF8" ? ok("encoding", encoding) : failed("encoding", `${encoding}: create the database with the encoding UTF8`),
    isStandby || isReadOnly
      ? failed("writable", isStandby ? "the server is a standby: use the address of the primary" : "transactions are read-only by default")
      : ok("writable", "the server is a primary"),
  ];
}

async function checkPrivileges(pool: PostgresPool, { schema, may_create: mayCreate }: Server, hasPending: boolean): Promise<Check> {
  const name = "privileges";
  if (schema === null) return failed(name, "no schema of the search_path exists");
  // Each day of the request log has its own tables.
  if (!mayCreate) return failed(name, `the role cannot create tables in the schema ${schema}: grant create on schema ${schema}`);
  const tables = (await pool.query<{ name: string }>(NOT_OURS, [hasPending])).map((row) => row.name);
  if (tables.length === 0) return ok(name, `the role can create and use tables in the schema ${schema}`);
  return failed(name, `the role ${hasPending ? "does not own" : "cannot read and write"} ${tables.join(", ")}`);
}

function pendingMigrations(applied: readonly string[]): PendingMigration[] {
  return Object.keys(POSTGRES_MIGRATIONS)
    .filter((name) => !applied.includes(name))
    .map((name) => ({ name, ...(MIGRATION_NOTES[name] ?? { isRolling: false, locks: "unknown" }) }));
}

async function appliedMigrations(pool: PostgresPool): Promise<readonly string[]> {
  if (!(await hasTable(pool, "kysely_migration"))) return [];
  const rows = await pool.query<{ name: string }>("select name from kysely_migration order by name");
  return rows.map(({ name }) => name);
}

function checkMigrations(pending: readonly PendingMigration[], newer: readonly string[]): Check {
  const name = "migrations";
  const ofNewer = newer.length === 0 ? "" : `; ${newer.join(", ")} of a newer version stay as they are`;
  if (pending.length === 0) return ok(name, `none is pending${ofNewer}`);
  const unsafe = pending.filter(({ isRolling }) => !isRolling);
  if (unsafe.length === 0) return ok(name, `${pending.length} pending, safe while processes of the previous version run${ofNewer}`);
  return warning(
    name,
    `stop all processes of the previous version first: ${unsafe.map((each) => each.name).join(", ")} would disturb them${ofNewer}`,
  );
}

async function checkSecrets(pool: PostgresPool, config: StorageConfig, isMigrated: boolean): Promise<Check> {
  const name = "secrets";
  const { secret, oldSecret, hashSecret, operatorToken } = config;
  const given = [
    [SETTINGS.secret, secret],
    [SETTINGS.hashSecret, hashSecret],
    [SETTINGS.operatorToken, operatorToken],
  ] as const;
  const missing = given.flatMap(([variable, value]) => (value ? [] : [variable]));
  if (missing.length > 0) return failed(name, `${missing.join(", ")} must be set: all processes of a database need the same`);
  if (!isMigrated) return ok(name, "set; the first start notes them in the database");
  const other = await findOtherSecret(pool, [
    { name: SETTINGS.secret, secret: secret!, previous: oldSecret },
    { name: SETTINGS.hashSecret, secret: hashSecret! },
  ]);
  return other === undefined ? ok(name, "set, and the same as in the database") : failed(name, `${other} differs from the database's`);
}

async function checkMove(pool: PostgresPool): Promise<Check> {
  const state = await readMoveState(pool);
  return state ? failed("data", describeMove(state)) : ok("data", "complete");
}

async function checkInstances(pool: PostgresPool): Promise<Check> {
  const all = await reportInstances(pool);
  const lost = all.filter(({ state }) => state === "lost").map(({ id }) => id);
  const live = all.filter(({ state }) => state === "live").length;
  if (lost.length === 0) return ok("processes", `${live} live`);
  return warning(
    "processes",
    `${live} live, and ${lost.length} lost, whose leases are stranded until their journals are applied: ${lost.join(", ")}`,
  );
}

function checkClock(differenceMs: number): Check {
  const seconds = `${(Math.abs(differenceMs) / 1000).toFixed(1)} s`;
  if (Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS) return ok("clock", `within ${seconds} of the database's`);
  return warning("clock", `${seconds} ${differenceMs > 0 ? "behind" : "ahead of"} the database's, which counts: synchronize both`);
}

function checkConnections(free: number, processes: number): Check {
  // Several gateway processes also need an owner process.
  const needed = CONNECTIONS_OF_PROCESS * (processes > 1 ? processes + 1 : processes);
  const detail = `${free} are free, and a start opens up to ${needed}`;
  return free >= needed
    ? ok("connections", detail)
    : failed("connections", `${detail}: raise max_connections, or the limit of the role or database`);
}

async function hasTable(pool: PostgresPool, name: string): Promise<boolean> {
  const [row] = await pool.query<{ name: string | null }>("select to_regclass($1::text)::text as name", [name]);
  return row!.name !== null;
}
