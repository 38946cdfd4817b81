import type { Secret } from "../../lib/secret/secret.ts";
import type { BackupWriter } from "../../stores/backup/backup-writer.ts";

/** The days of the request log in a backup. */
export interface CopiedDays {
  readonly copied: readonly string[];
  /** The days that could not be read. */
  readonly damaged: readonly string[];
}

/** A secret, with its file name in the data folder. */
export interface SecretFile {
  readonly name: string;
  readonly secret: Secret;
}

/** The source of a backup, which gateways may be using. */
export interface BackupSource {
  /** The data folder, or the URL of the database. */
  readonly name: string;
  /** Processes that have not shipped their journals, so their latest charges may be missing. */
  readonly unshipped: readonly string[];
  /** Returns the secrets that were chosen. Throws if a backup is not possible. */
  prepare(): Promise<readonly SecretFile[]>;
  /**
   * Copies the ledger and the records, as they were at one moment, into the database of an empty folder. Then closes the requests in the
   * copy that were in flight.
   */
  copyInto(staging: string): Promise<void>;
  /** Adds the request log. It creates temporary files in this folder. */
  addRequestLog(writer: BackupWriter, staging: string): Promise<CopiedDays>;
}
