import type { Database as SqliteFile } from "bun:sqlite";
import { MIGRATIONS, refuseBeforeFirstRelease } from "../migrations/migrate.ts";
import { BackupRefused } from "./backup-refused.ts";

/** The migrations by which a database differs from one of this version. */
interface SchemaDifference {
  /** Those of this version that it lacks: an earlier version has used it last. */
  readonly pending: readonly string[];
  /** Those that this version does not know: a newer one has used it. */
  readonly unknown: readonly string[];
}

/** `where`: of the file, in messages. Throws `CannotMigrate` for a file from before the first release. */
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
 * Throws `BackupRefused` for data of another version. Where an earlier version has used it last, this one would have to migrate the copy, and the
 * earlier one could not restore it: it would be no way back from an upgrade.
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
