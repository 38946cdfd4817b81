import type { Secret } from "../../lib/secret/secret.ts";
import type { BackupWriter } from "../../stores/backup/backup-writer.ts";

/** The days of the request log in a backup. */
export interface CopiedDays {
  readonly copied: readonly string[];
  /** Those that could not be read. */
  readonly damaged: readonly string[];
}

/** A secret as a file of the data folder. */
export interface SecretFile {
  readonly name: string;
  readonly secret: Secret;
}

/** Where a backup is made from, while gateways use it. */
export interface BackupSource {
  /** The data folder, or the address of the database. */
  readonly name: string;
  /** Processes that have not shipped their journals: their latest charges may be missing. */
  readonly unshipped: readonly string[];
  /** Returns the secrets that were chosen. Throws where a backup is not possible. */
  prepare(): Promise<readonly SecretFile[]>;
  /** Copies ledger and records of one moment into the database of an empty folder, and ends there what was in flight. */
  copyInto(staging: string): Promise<void>;
  /** Adds the request log, by way of files in this folder. */
  addRequestLog(writer: BackupWriter, staging: string): Promise<CopiedDays>;
}
