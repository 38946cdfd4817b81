import type { Database as SqliteFile } from "bun:sqlite";
import { MIGRATIONS, refuseBeforeFirstRelease } from "../migrations/migrate.ts";
import { BackupRefused } from "./backup-refused.ts";

/** The migrations in which a database differs from this version. */
interface SchemaDifference {
  /** Migrations of this version that the database lacks, because an earlier version used it last. */
  readonly pending: readonly string[];
  /** Migrations that this version does not know, because a newer version has used the database. */
  readonly unknown: readonly string[];
}

/**
 * Compares the migrations of a database with this version. `where` names the file in messages. Throws `CannotMigrate` for a file from
 * before the first release.
 */
export function compareSchema(where: string, file: SqliteFile): SchemaDifference {
  const rows = file.query<{ name: string }, []>("select name from kysely_migration order by name").all();
  const applied = rows.map(({ name }) => name);
  refuseBeforeFirstRelease(applied, where);
  return {
    pending: Object.keys(MIGRATIONS).filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !Object.hasOwn(MIGRATIONS, name)),
  };
}

/**
 * Throws `BackupRefused` for data of another version. If an earlier version used the data last, this version would have to migrate the
 * copy. The earlier version could not restore the migrated copy, so the backup would not be a way back from an upgrade.
 */
export function refuseOtherSchema(where: string, file: SqliteFile): void {
  const { pending, unknown } = compareSchema(where, file);
  if (unknown.length > 0)
    throw new BackupRefused(`${where} is used by a newer Tollgate, with ${unknown.join(", ")}: back it up with that version`);
  if (pending.length === 0) return;
  throw new BackupRefused(
    `${where} was last used by an earlier Tollgate, without ${pending.join(", ")}: back it up with that version, or start this one first`,
  );
}
