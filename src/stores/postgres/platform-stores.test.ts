import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { EmptyDatabase } from "../../../test/support/postgres/empty-database.ts";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { accessTokenStoreContract } from "../access-tokens/access-token-store.contract.ts";
import { SqlAccessTokenStore } from "../access-tokens/sql-access-token-store.ts";
import { accountStoreContract } from "../accounts/account-store.contract.ts";
import { SqlAccountStore } from "../accounts/sql-account-store.ts";
import { alertStoreContract } from "../alerts/alert-store.contract.ts";
import { hourlySpendStoreContract } from "../alerts/hourly-spend-store.contract.ts";
import { raisedAlertStoreContract } from "../alerts/raised-alert-store.contract.ts";
import { SqlAlertStore } from "../alerts/sql-alert-store.ts";
import { SqlHourlySpendStore } from "../alerts/sql-hourly-spend-store.ts";
import { SqlRaisedAlertStore } from "../alerts/sql-raised-alert-store.ts";
import { SqlWebhookStore } from "../alerts/sql-webhook-store.ts";
import { webhookStoreContract } from "../alerts/webhook-store.contract.ts";
import { auditLogStoreContract } from "../audit-log/audit-log-store.contract.ts";
import { SqlAuditLogStore } from "../audit-log/sql-audit-log-store.ts";
import { publishedPrice } from "../catalog/catalog-examples.contract.ts";
import { catalogStoreContract } from "../catalog/catalog-store.contract.ts";
import { SqlCatalogStore } from "../catalog/sql-catalog-store.ts";
import type { Database } from "../database.ts";
import { keyStoreContract } from "../keys/key-store.contract.ts";
import { SqlKeyStore } from "../keys/sql-key-store.ts";
import { lastUsedStoreContract } from "../last-used/last-used-store.contract.ts";
import { SqlLastUsedStore } from "../last-used/sql-last-used-store.ts";
import { migrate } from "../migrations/migrate.ts";
import { personStoreContract } from "../people/person-store.contract.ts";
import { SqlPersonStore } from "../people/sql-person-store.ts";
import { savedViewStoreContract } from "../saved-views/saved-view-store.contract.ts";
import { SqlSavedViewStore } from "../saved-views/sql-saved-view-store.ts";
import { sessionStoreContract } from "../sessions/session-store.contract.ts";
import { SqlSessionStore } from "../sessions/sql-session-store.ts";
import { openSqlite } from "../sqlite/sqlite-database.ts";
import { Vault } from "../vault.ts";

interface Fixture<Store> {
  readonly store: Store;
  auditLog(): SqlAuditLogStore;
  reopen(): Promise<Store>;
  cleanUp(): Promise<void>;
}

describe.skipIf(!hasPostgres)("on PostgreSQL", () => {
  const empty = new EmptyDatabase();
  const database = (): Database => empty.process().database;
  const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(database());

  /** A store in an empty database. Reopening it reads everything from the database. */
  async function fixtureOf<Store extends object>(open: () => Promise<Store>): Promise<Fixture<Store>> {
    await empty.empty();
    let last = await open();
    const close = async (): Promise<void> => {
      if ("close" in last && typeof last.close === "function") await last.close();
    };
    return {
      store: last,
      auditLog: () => new SqlAuditLogStore(database()),
      reopen: async () => {
        await close();
        return (last = await open());
      },
      cleanUp: close,
    };
  }

  keyStoreContract("SqlKeyStore", () => fixtureOf(() => SqlKeyStore.open(database())));
  personStoreContract("SqlPersonStore", () => fixtureOf(() => SqlPersonStore.open(database())));
  sessionStoreContract("SqlSessionStore", () => fixtureOf(() => SqlSessionStore.open(database())));
  accessTokenStoreContract("SqlAccessTokenStore", () => fixtureOf(() => SqlAccessTokenStore.open(database())));
  hourlySpendStoreContract("SqlHourlySpendStore", () => fixtureOf(async () => new SqlHourlySpendStore(database())));
  savedViewStoreContract("SqlSavedViewStore", () => fixtureOf(() => SqlSavedViewStore.open(database())));
  webhookStoreContract("SqlWebhookStore", () => fixtureOf(() => SqlWebhookStore.open(database(), new Vault(new Secret("a secret")))));

  accountStoreContract("SqlAccountStore", async () => ({
    ...(await fixtureOf(() => SqlAccountStore.open(database()))),
    async make(prepared) {
      await database().change(
        "account",
        [],
        () => ({}),
        () => prepared,
      );
    },
  }));

  auditLogStoreContract("SqlAuditLogStore", async () => ({
    ...(await fixtureOf(async () => new SqlAuditLogStore(database()))),
    run,
  }));

  test("the audit log cannot be truncated", async () => {
    const [outcome] = await Promise.allSettled([sql`truncate changes`.execute(database())]);
    expect(String((outcome as PromiseRejectedResult).reason)).toContain("append-only");
  });

  lastUsedStoreContract("SqlLastUsedStore", async () => {
    const fixture = await fixtureOf(async () => new SqlLastUsedStore(database()));
    return { ...fixture, keys: await SqlKeyStore.open(database()) };
  });

  catalogStoreContract("SqlCatalogStore", async () => {
    const vault = new Vault(new Secret("a secret"));
    const options = { vault, defaultPrices: (baseUrl: string) => [publishedPrice(baseUrl)] };
    const fixture = await fixtureOf(() => SqlCatalogStore.open({ ...options, database: database() }));
    return {
      ...fixture,
      async hasPrice({ version }) {
        const query = database().selectFrom("prices").select("version").where("version", "=", version);
        return (await query.executeTakeFirst()) !== undefined;
      },
    };
  });

  alertStoreContract("SqlAlertStore", async () => ({
    ...(await fixtureOf(() => SqlAlertStore.open(database()))),
    run,
    setWritable: (isWritable) => empty.setWritable(isWritable, "alerts", "alert_marks", "deliveries"),
    async countAlerts() {
      const query = database()
        .selectFrom("alerts")
        .select(({ fn }) => fn.countAll<number>().as("count"));
      return (await query.executeTakeFirstOrThrow()).count;
    },
  }));

  raisedAlertStoreContract("SqlRaisedAlertStore", async () => ({
    ...(await fixtureOf(async () => new SqlRaisedAlertStore(database()))),
    alerts: await SqlAlertStore.open(database()),
    run,
  }));

  test("the platform's tables have the same columns as in SQLite, nullable or not", async () => {
    const inPostgres = await columnsInPostgres(database());
    const inSqlite = await columnsInSqlite();
    const shared = [...inPostgres.keys()].filter((table) => inSqlite.has(table) && !OF_THE_LEDGER.has(table)).toSorted();
    expect(shared).toContain("keys");
    for (const table of shared) expect([table, inPostgres.get(table)]).toEqual([table, inSqlite.get(table)!]);
  });
});

/** Tables whose definition differs between the two databases. */
const OF_THE_LEDGER: ReadonlySet<string> = new Set(["entries", "instances", "leases", "answers", "usage_rolled"]);

type Columns = Map<string, string[]>;

const QUERY_OF_POSTGRES = sql<{ table: string; name: string; is_nullable: boolean }>`
  select table_name as "table", column_name as name, is_nullable = 'YES' as is_nullable from information_schema.columns
  where table_schema = 'public' order by table_name, column_name collate "C"`;

/** For historical reasons SQLite allows null in most primary keys. */
const QUERY_OF_SQLITE = sql<{ table: string; name: string; is_nullable: number }>`
  select tables.name as "table", columns.name as name, columns."notnull" = 0 and columns.pk = 0 as is_nullable
  from sqlite_schema as tables join pragma_table_info(tables.name) as columns
  where tables.type = 'table' order by tables.name, columns.name`;

async function columnsInPostgres(database: Database): Promise<Columns> {
  return byTable((await QUERY_OF_POSTGRES.execute(database)).rows);
}

async function columnsInSqlite(): Promise<Columns> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-schema-"));
  const database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
  const { rows } = await QUERY_OF_SQLITE.execute(database);
  await database.destroy();
  rmSync(folder, { recursive: true });
  return byTable(rows);
}

function byTable(rows: readonly { readonly table: string; readonly name: string; readonly is_nullable: number | boolean }[]): Columns {
  const tables: Columns = new Map();
  for (const { table, name, is_nullable: isNullable } of rows) {
    tables.set(table, [...(tables.get(table) ?? []), isNullable ? `${name} or null` : name]);
  }
  return tables;
}
