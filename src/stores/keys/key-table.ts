import { keySettings, type KeyRecord } from "../../access/api-key.ts";
import { restoreValues, storeValues } from "../../lib/schema/settings.ts";

/** A row of `keys`. Times are Unix milliseconds, `hash` is in hexadecimal. */
export interface KeyTable {
  id: string;
  name: string;
  hash: string;
  /** The settings as a JSON document: no query reads one of them. */
  settings: string;
  created_at_ms: number;
  expires_at_ms: number | null;
  revoked_at_ms: number | null;
  account_id: string;
  previous_hash: string | null;
  previous_works_until_ms: number | null;
  paused_at_ms: number | null;
  archived_at_ms: number | null;
  /** Null for a key whose secret was issued by Tollgate. */
  imported_from: string | null;
  imported_at_ms: number | null;
  imported_source: string | null;
}

export function toRow(record: KeyRecord): KeyTable {
  return {
    id: record.id,
    name: record.name,
    hash: toHex(record.hash),
    settings: storeValues(keySettings, record),
    created_at_ms: record.createdAtMs,
    expires_at_ms: record.expiresAtMs,
    revoked_at_ms: record.revokedAtMs,
    account_id: record.accountId,
    previous_hash: record.previous && toHex(record.previous.hash),
    previous_works_until_ms: record.previous && record.previous.worksUntilMs,
    paused_at_ms: record.pausedAtMs,
    archived_at_ms: record.archivedAtMs,
    imported_from: record.imported && record.imported.from,
    imported_at_ms: record.imported && record.imported.atMs,
    imported_source: record.imported && record.imported.source,
  };
}

/**
 * Reads rows into records. Many keys have the same account and the same settings, and equal values are shared: with a hundred thousand keys that
 * saves a third of the memory.
 */
export function rowReader(): (row: KeyTable) => KeyRecord {
  const accountId = readingOnce((text) => text);
  const settings = readingOnce((text) => restoreValues(keySettings, text));
  return (row) => ({
    id: row.id,
    name: row.name,
    hash: Uint8Array.fromHex(row.hash),
    previous: readPrevious(row),
    ...settings(row.settings),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
    pausedAtMs: row.paused_at_ms,
    archivedAtMs: row.archived_at_ms,
    imported: row.imported_from === null ? null : { from: row.imported_from, source: row.imported_source, atMs: row.imported_at_ms! },
    accountId: accountId(row.account_id),
  });
}

function readingOnce<T>(read: (text: string) => T): (text: string) => T {
  const seen = new Map<string, T>();
  return (text) => {
    const known = seen.get(text);
    if (known !== undefined) return known;
    const value = read(text);
    seen.set(text, value);
    return value;
  };
}

function readPrevious({ previous_hash: hash, previous_works_until_ms: worksUntilMs }: KeyTable): KeyRecord["previous"] {
  return hash === null || worksUntilMs === null ? null : { hash: Uint8Array.fromHex(hash), worksUntilMs };
}

function toHex(hash: Uint8Array): string {
  return hash.toHex();
}
