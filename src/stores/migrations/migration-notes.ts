/** What operators have to know of a migration before an upgrade. */
export interface MigrationNote {
  /** Whether processes of the previous version can run during the migration and after it: a rolling upgrade. */
  readonly isRolling: boolean;
  /** The locks that it takes on tables which exist. */
  readonly locks: string;
}

const NEW_TABLES: MigrationNote = { isRolling: true, locks: "none, it only creates tables" };

/** A note for each migration of PostgreSQL. A test applies them, and compares the locks. */
export const MIGRATION_NOTES: Readonly<Record<string, MigrationNote>> = {
  "0016-postgres-platform": NEW_TABLES,
  "0017-postgres-ledger": NEW_TABLES,
  "0018-postgres-usage": NEW_TABLES,
  "0019-postgres-limits": NEW_TABLES,
  "0020-postgres-request-log": NEW_TABLES,
  "0021-postgres-settings": NEW_TABLES,
  "0022-postgres-instance-status": NEW_TABLES,
  "0023-postgres-claims": { isRolling: true, locks: "instances, for a moment: it adds a column without reading the rows" },
  "0024-postgres-declared-file": { isRolling: true, locks: "instance_status, for a moment" },
  "0025-postgres-instance-durability": { isRolling: true, locks: "instances, for a moment: it adds a column without a rewrite" },
  "0026-attribution": { isRolling: true, locks: "entries and accounts, for a moment: it adds columns without a rewrite" },
  "0027-postgres-usage-costs": { isRolling: true, locks: "usage_sums, for a moment: it adds columns without a rewrite" },
  "0027-price-lists": { isRolling: true, locks: "accounts and prices, for a moment: it adds columns without reading the rows" },
  "0028-show-credit": { isRolling: true, locks: "accounts, for a moment: it adds a column without a rewrite" },
  "0029-postgres-attribution-usage": {
    isRolling: true,
    locks: "the tables of the request log, for a moment: it adds a column without a rewrite",
  },
  "0030-postgres-breakdowns": { isRolling: true, locks: "ledger_head, for a moment: it adds a column without a rewrite" },
  "0031-postgres-attribution-cells": { isRolling: true, locks: "attribution_sums and attribution_tags, for a moment: it drops them" },
  "0032-identities": { isRolling: true, locks: "upstreams, for a moment: it adds a column without a rewrite" },
  "0033-attribution-days": NEW_TABLES,
  "0033-postgres-request-log-names": NEW_TABLES,
  "0034-saved-views": NEW_TABLES,
  "0035-archive": { isRolling: true, locks: "keys, accounts, people and models, for a moment: it adds columns without a rewrite" },
  "0036-alerts": { isRolling: true, locks: "alert_marks and webhooks, for a moment: it adds columns without a rewrite" },
  "0037-credit-line": { isRolling: true, locks: "accounts, for a moment: it adds a column without a rewrite" },
  "0038-imported-keys": { isRolling: true, locks: "keys, for a moment: it adds columns without a rewrite" },
  "0039-postgres-exports": NEW_TABLES,
  "0040-discovered-models": NEW_TABLES,
  "0041-import-sources": { isRolling: true, locks: "keys, for a moment: it adds a column without a rewrite" },
  "0042-postgres-limit-handovers": NEW_TABLES,
};
