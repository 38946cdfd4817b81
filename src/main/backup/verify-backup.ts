import { readBackup, type Manifest } from "../../stores/backup/backup-format.ts";
import { BackupRefused } from "../../stores/backup/backup-refused.ts";
import { compareSchema } from "../../stores/backup/backup-schema.ts";
import { auditCopy, type AuditedCopy } from "./audit-copy.ts";
import { openWithoutWal } from "../../stores/integrity/read-database.ts";

/** A backup whose checksum is correct. */
export interface VerifiedBackup {
  readonly path: string;
  readonly manifest: Manifest;
  /** Undefined for a backup of an earlier version: the restore migrates and audits it. */
  readonly audited: AuditedCopy | undefined;
}

/**
 * Checks every byte of a backup, and audits its ledger. `name` is the name of the file in messages. Throws `BackupRefused` if the backup
 * cannot be restored.
 */
export async function verifyBackup(path: string, nowMs: number, name = path): Promise<VerifiedBackup> {
  const manifest = checkBackup(path);
  const file = openWithoutWal(path);
  try {
    const isEarlier = compareSchema(path, file).pending.length > 0;
    return { path, manifest, audited: isEarlier ? undefined : await auditCopy(name, file, nowMs) };
  } finally {
    file.close();
  }
}

/** Checks every byte of a backup. Throws `BackupRefused` if it is damaged, or was created by a newer version. */
export function checkBackup(path: string): Manifest {
  const manifest = readBackup(path);
  const file = openWithoutWal(path);
  try {
    const { unknown } = compareSchema(path, file);
    if (unknown.length === 0) return manifest;
    throw new BackupRefused(
      `${path} was made by a newer Tollgate, ${manifest.version}, with ${unknown.join(", ")}: use that version, or a newer one`,
    );
  } finally {
    file.close();
  }
}
