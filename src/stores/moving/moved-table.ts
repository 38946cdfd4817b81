import type { Database as SqliteFile } from "bun:sqlite";
import type { PostgresPool } from "../postgres/postgres-pool.ts";

/** A column that is in both databases. Its values are moved as text. */
export interface MovedColumn {
  readonly name: string;
  /** The type of the column in PostgreSQL. */
  readonly type: string;
  /** Whether the column's text is JSON that PostgreSQL reads. */
  readonly isJson?: boolean;
  /** SQL that reads the column as text in SQLite and in PostgreSQL, if the text is not simply the value. Both must give the same text. */
  readonly fromSqlite?: string;
  readonly fromPostgres?: string;
  /** SQL that writes the column to SQLite, from the parameter of its place, such as `?3`. */
  readonly toSqlite?: (parameter: string) => string;
}

/** A table whose rows are all moved unchanged. */
export interface MovedTable {
  /** The name of the table in each database. */
  readonly sqlite: string;
  readonly postgres: string;
  readonly columns: readonly MovedColumn[];
  /** Rows are read in this order. */
  readonly orderBy?: string;
}

/** A row: the text of each column, in the order of the columns. */
export type MovedRow = readonly (string | null)[];

/** The tables whose rows are moved unchanged, besides the entries of the ledger. */
export const TABLES = [
  "access_tokens",
  "accounts",
  "alert_marks",
  "alerts",
  "announcements",
  "answers",
  "changes",
  "deliveries",
  "discovered_models",
  "endpoints",
  "key_hours",
  "key_uses",
  "keys",
  "model_uses",
  "models",
  "people",
  "price_lists",
  "prices",
  "raised_alerts",
  "saved_views",
  "sessions",
  "upstreams",
  "webhooks",
] as const;

export const ENTRIES = "entries";

/** The tables whose ids PostgreSQL generates. */
export const GENERATED_IDS = ["announcements", "changes", "deliveries"] as const;

/** Tables that are not moved: they follow from others, or are about the processes and migrations of one database. */
export const NOT_MOVED: Readonly<Record<"sqlite" | "postgres", readonly string[]>> = {
  sqlite: [
    "attribution_days",
    "attribution_series",
    "attribution_sums",
    "attribution_tag_days",
    "instances",
    "kysely_migration",
    "kysely_migration_lock",
    "progress",
    "tallied",
    "tallies",
    "usage_rolled",
    "usage_series",
    "usage_sums",
  ],
  postgres: [
    "attribution_days",
    "attribution_series",
    "attribution_sums",
    "attribution_tag_days",
    "claims",
    "counted_breakdowns",
    "declared_file",
    "entry_blocks",
    "export_chunks",
    "exports",
    "feed",
    "feed_head",
    "instance_status",
    "instances",
    "kysely_migration",
    "kysely_migration_lock",
    "leaders",
    "leases",
    "ledger_head",
    "limit_handovers",
    "limit_head",
    "limit_processes",
    "limit_recalls",
    "limit_scopes",
    "open_holds",
    "process_reports",
    "purses",
    "recalls",
    "refusals",
    "request_log_days",
    "request_log_head",
    "request_log_writers",
    "shared_settings",
    "usage_rolled",
    "usage_series",
    "usage_sums",
  ],
};

/** Columns of PostgreSQL that SQLite lacks: the process that has written an entry. */
const ONLY_IN_POSTGRES = new Set(["entries.instance_id", "entries.seq"]);

const PG_COLUMNS = `select attname::text as name, format_type(atttypid, atttypmod) as type from pg_attribute
  where attrelid = to_regclass($1::text) and attnum > 0 and not attisdropped order by attnum`;

/**
 * A table with the columns that it has in both databases. Throws if one database has a column that the other lacks, because its values
 * would be lost.
 */
export async function findTable(file: SqliteFile, pool: Pick<PostgresPool, "query">, name: string): Promise<MovedTable> {
  const inPostgres = await pool.query<{ name: string; type: string }>(PG_COLUMNS, [name]);
  const inSqlite = new Set(
    file
      .query<{ name: string }, [string]>("select name from pragma_table_info(?)")
      .all(name)
      .map((column) => column.name),
  );
  const columns = inPostgres.filter((column) => !ONLY_IN_POSTGRES.has(`${name}.${column.name}`));
  const lacking = columns.find((column) => !inSqlite.delete(column.name))?.name ?? [...inSqlite][0];
  if (columns.length === 0 || lacking !== undefined) throw new Error(`${name}.${lacking ?? "*"} is not in both databases`);
  return { sqlite: name, postgres: name, columns, ...(name === ENTRIES && { orderBy: "id" }) };
}
