/** The paths in a data folder that a backup may contain. */
export const DATABASE = "tollgate.db";
export const HASH_SECRET = "hash-secret";
export const HASH_SECRET_CHECK = "hash-secret-check";
export const VAULT_SECRET = "secret";

const DAY = /^requests\/(\d{4}-\d\d-\d\d)\.db$/;
const OTHERS: ReadonlySet<string> = new Set([DATABASE, HASH_SECRET, HASH_SECRET_CHECK, VAULT_SECRET]);

/** The path of a day of the request log. */
export function nameOfDay(day: string): string {
  return `requests/${day}.db`;
}

/** The day of the request log that this file contains, if any. */
export function dayIn(name: string): string | undefined {
  return DAY.exec(name)?.[1];
}

/** Whether a restore may write a file with this name. */
export function isBackupName(name: string): boolean {
  return OTHERS.has(name) || dayIn(name) !== undefined;
}
