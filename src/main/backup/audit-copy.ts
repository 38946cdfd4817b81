import type { Database as SqliteFile } from "bun:sqlite";
import { audit } from "../../platform/audit/auditor.ts";
import { BackupRefused } from "../../stores/backup/backup-refused.ts";
import { openCopiedLedger } from "../../stores/backup/copied-ledger.ts";
import type { LedgerBalances } from "../../stores/ledger/ledger-record-store.ts";
import { describeDiscrepancies } from "../moving/ledger-summary.ts";

/** How much of the copy the auditor has read. */
export interface AuditedCopy {
  readonly entries: number;
  readonly accounts: number;
  readonly keys: number;
}

/**
 * Audits the ledger of a database that no process writes to. `claimed` are the sums of the ledger that it was copied from, which are used
 * instead of the copy's sums. Throws `BackupRefused` if the auditor finds a discrepancy.
 */
export async function auditCopy(where: string, file: SqliteFile, nowMs: number, claimed?: LedgerBalances): Promise<AuditedCopy> {
  const keyIds = file
    .query<{ id: string }, []>("select id from keys")
    .all()
    .map(({ id }) => id);
  const copied = openCopiedLedger(file);
  const report = await audit({ ledger: { ...copied, ...(claimed && { balances: async () => claimed }) }, keyIds, nowMs });
  const discrepancies = describeDiscrepancies(where, report);
  if (discrepancies !== undefined) throw new BackupRefused(discrepancies);
  const [row] = file.query<{ accounts: number }, []>("select count(*) as accounts from accounts").all();
  return { entries: report.checked.entries, accounts: row!.accounts, keys: keyIds.length };
}
