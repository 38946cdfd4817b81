/** What operators need to know about a migration before an upgrade. */
interface MigrationNote {
  /** Whether processes of the previous version can run during and after the migration: a rolling upgrade. */
  readonly isRolling: boolean;
  /** The locks that it takes on existing tables. */
  readonly locks: string;
}

const NEW_TABLES: MigrationNote = { isRolling: true, locks: "none, it only creates tables" };

/** A note for each migration of PostgreSQL. A test applies the migrations, and compares the locks. */
export const MIGRATION_NOTES: Readonly<Record<string, MigrationNote>> = {
  "0001-first-release": NEW_TABLES,
  "0002-premium-use": { isRolling: true, locks: "`entries` and `prices`, exclusively, for a moment: columns without a default are added" },
};
