/** A backup was not made, or a file is not a backup that can be restored. The message says why and what to do. */
export class BackupRefused extends Error {
  override readonly name = "BackupRefused";
}
