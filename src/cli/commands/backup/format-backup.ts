import type { BackupStatus } from "../../../../platform-client/types.ts";
import { SETTINGS, type StorageConfig } from "../../../config.ts";
import type { AuditedCopy } from "../../../main/backup/audit-copy.ts";
import type { BackupResult } from "../../../main/backup/create-backup.ts";
import type { RestoredBackup } from "../../../main/backup/restore-backup.ts";
import type { VerifiedBackup } from "../../../main/backup/verify-backup.ts";
import { formatDetails } from "../../format/format-details.ts";
import { formatBytes, formatCount, formatTime } from "../../format/format-values.ts";

type Manifest = VerifiedBackup["manifest"];

export function describeBackup(made: BackupResult): string {
  const { path, bytes, requestLog, unshipped, deleted } = made;
  const damaged = requestLog?.damaged ?? [];
  const remarks = [
    ...(damaged.length > 0 ? [`Days of the request log that cannot be read, and are not in it: ${damaged.join(", ")}.`] : []),
    ...(unshipped.length > 0
      ? [`These processes have not shipped their journals, and their latest charges may be missing: ${unshipped.join(", ")}.`]
      : []),
    ...(deleted.length > 0 ? [`Deleted ${formatCount(deleted.length, "older backup")}: ${deleted.join(", ")}.`] : []),
  ];
  return `Backed up to ${path}, ${formatBytes(bytes)}.\n\n${describeContent(made)}${remarks.map((remark) => `\n${remark}\n`).join("")}`;
}

export function describeVerified(verified: VerifiedBackup): string {
  return `${verified.path} is complete and undamaged.\n\n${describeContent(verified)}`;
}

export function describeRestored(restored: RestoredBackup, { secret }: StorageConfig): string {
  const { manifest, sealedCount, to } = restored;
  const since = `${formatTime(manifest.createdAt)} UTC`;
  const remarks = [
    `What was done after ${since} is not in it: charges, credit, changes of keys, and revocations. docs/backup.md has what to do about it.`,
    ...(has(manifest, "hash-secret")
      ? []
      : [`Set ${SETTINGS.hashSecret} before the start: it is not in the backup, and without it no key is valid.`]),
    ...(sealedCount === 0 || has(manifest, "secret") || secret
      ? []
      : [
          `Set ${SETTINGS.secret} before the start: ${formatCount(sealedCount, "credential")} of upstreams and webhooks cannot be decrypted without it.`,
        ]),
  ];
  return `Restored ${restored.path} to ${to}.\n\n${describeContent(restored)}${remarks.map((remark) => `\n${remark}\n`).join("")}`;
}

export function describeLastBackup(last: NonNullable<BackupStatus["last"]>): string {
  return formatDetails([
    ["Time", `${formatTime(last.created_at)} UTC`],
    ["File", last.path],
    ["Size", formatBytes(last.bytes)],
    ["Version", last.version],
    ["Ledger", `${formatCount(last.entries, "entry", "entries")} verified`],
    ["Hash secret", last.hash_secret ? "included" : "not included"],
    ["Credentials", describeCredentials(last.credentials)],
    ["Request log", describeDays(last.request_log_days)],
    ...(last.unshipped.length > 0 ? [["May lack charges of", last.unshipped.join(", ")]] : []),
  ]);
}

function describeCredentials(areReadable: boolean): string {
  return areReadable ? "included, with the secret that decrypts them" : "encrypted, without the secret that decrypts them";
}

function describeDays(days: number): string {
  return days === 0 ? "not included" : formatCount(days, "day");
}

function describeContent({ manifest, audited }: VerifiedBackup): string {
  const days = manifest.files.filter(({ name }) => name.startsWith("requests/")).length;
  return formatDetails([
    ["Source", manifest.source],
    ["Time", `${formatTime(manifest.createdAt)} UTC`],
    ["Version", manifest.version],
    ["Ledger", audited ? describeAudit(audited) : "of an earlier version: it is migrated and audited by the restore"],
    ["Hash secret", has(manifest, "hash-secret") ? "included" : "not included"],
    ["Credentials", describeCredentials(has(manifest, "secret"))],
    ["Request log", describeDays(days)],
  ]);
}

function describeAudit({ entries, accounts, keys }: AuditedCopy): string {
  return `${formatCount(entries, "entry", "entries")} of ${formatCount(accounts, "account")} and ${formatCount(keys, "key")}, without discrepancies`;
}

function has({ files }: Manifest, file: string): boolean {
  return files.some(({ name }) => name === file);
}

export function backupAsJson(made: BackupResult): object {
  const { bytes, requestLog, unshipped, deleted } = made;
  return { ...verifiedAsJson(made), bytes, damaged_days: requestLog?.damaged ?? [], unshipped_processes: unshipped, deleted };
}

export function verifiedAsJson({ path, manifest, audited }: VerifiedBackup): object {
  const { createdAt, version, source, files } = manifest;
  const days = files.flatMap(({ name }) => /^requests\/(.+)\.db$/.exec(name)?.[1] ?? []);
  return {
    file: path,
    source,
    created_at: createdAt,
    version,
    ledger: audited ?? null,
    hash_secret: has(manifest, "hash-secret"),
    credentials: has(manifest, "secret"),
    request_log_days: days,
  };
}

export function restoredAsJson(restored: RestoredBackup): object {
  return { ...verifiedAsJson(restored), to: restored.to };
}
