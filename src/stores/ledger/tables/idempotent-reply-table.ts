import type { Database as SqliteFile } from "bun:sqlite";
import { IDEMPOTENCY_RETENTION_MS } from "../../../requests/idempotency-retention.ts";
import type { IdempotentReply } from "../ledger-store.ts";

const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
/** The time between two deletions of expired replies. */
const CLEAN_UP_EVERY_MS = 60_000;

interface ReplyRow {
  scope: string;
  digest: string;
  request_id: string;
  at_ms: number;
  headers: string;
  body: string | null;
}

/** The key in a scope, which is the id of a key, a colon, and the idempotency key. A reply belongs to the key's account. */
const KEY = "substr(scope, 1, instr(scope, ':') - 1)";
const BY_ACCOUNT = `from answers left join keys on keys.id = ${KEY}`;
const ACCOUNT = `coalesce(keys.account_id, ${KEY})`;

/**
 * Idempotent replies, in the table `answers`: stored for 24 hours, at most 256 MB in total. Beyond that, the oldest replies of the account
 * with the largest total are deleted. So no account can displace the replies of others, whose retries would be charged again.
 */
export class IdempotentReplyTable {
  readonly #file: SqliteFile;
  readonly #maxTotalBytes: number;
  #totalBytes = 0;
  readonly #bytesOf = new Map<string, number>();
  #cleanedUpAtMs = 0;

  constructor(file: SqliteFile, maxTotalBytes: number = MAX_TOTAL_BYTES) {
    this.#file = file;
    this.#maxTotalBytes = maxTotalBytes;
    this.#countBytes();
  }

  find(scope: string, nowMs: number): IdempotentReply | undefined {
    const sql = "select * from answers where scope = ? and at_ms > ?";
    const row = this.#file.query<ReplyRow, [string, number]>(sql).get(scope, nowMs - IDEMPOTENCY_RETENTION_MS);
    return row ? fromRow(row) : undefined;
  }

  write({ scope, digest, requestId, atMs, headers, body }: IdempotentReply): void {
    this.#file
      .query("insert or replace into answers (scope, digest, request_id, at_ms, headers, body) values (?, ?, ?, ?, ?, ?)")
      .run(scope, digest, requestId, atMs, JSON.stringify(headers), body ?? null);
    this.#add(this.#accountOf(scope), body === undefined ? 0 : Buffer.byteLength(body));
    if (Math.abs(atMs - this.#cleanedUpAtMs) > CLEAN_UP_EVERY_MS) this.#deleteExpired(atMs);
    while (this.#totalBytes > this.#maxTotalBytes) if (!this.#deleteOldest()) return this.#countBytes();
  }

  #deleteExpired(nowMs: number): void {
    this.#cleanedUpAtMs = nowMs;
    this.#file.query("delete from answers where at_ms <= ?").run(nowMs - IDEMPOTENCY_RETENTION_MS);
    this.#countBytes();
  }

  /** Deletes the oldest replies of the account with the largest total, as many as necessary. Returns whether there were any. */
  #deleteOldest(): boolean {
    let [account, most] = ["", -1];
    for (const [each, bytes] of this.#bytesOf) if (bytes > most) [account, most] = [each, bytes];
    const rows = this.#file
      .query<{ scope: string; bytes: number }, [string]>(
        `select scope, coalesce(octet_length(body), 0) as bytes ${BY_ACCOUNT} where ${ACCOUNT} = ? order by at_ms limit 10`,
      )
      .all(account);
    for (const { scope, bytes } of rows) {
      if (this.#totalBytes <= this.#maxTotalBytes) break;
      this.#file.query("delete from answers where scope = ?").run(scope);
      this.#add(account, -bytes);
    }
    return rows.length > 0;
  }

  #add(account: string, bytes: number): void {
    this.#totalBytes += bytes;
    this.#bytesOf.set(account, (this.#bytesOf.get(account) ?? 0) + bytes);
  }

  #accountOf(scope: string): string {
    const key = scope.slice(0, Math.max(0, scope.indexOf(":")));
    return this.#file.query<{ account_id: string }, [string]>("select account_id from keys where id = ?").get(key)?.account_id ?? key;
  }

  #countBytes(): void {
    const sql = `select ${ACCOUNT} as account, coalesce(sum(octet_length(body)), 0) as bytes ${BY_ACCOUNT} group by 1`;
    this.#totalBytes = 0;
    this.#bytesOf.clear();
    for (const { account, bytes } of this.#file.query<{ account: string; bytes: number }, []>(sql).all()) this.#add(account, bytes);
  }
}

function fromRow(row: ReplyRow): IdempotentReply {
  const headers = JSON.parse(row.headers) as Record<string, string>;
  return { scope: row.scope, digest: row.digest, requestId: row.request_id, atMs: row.at_ms, headers, body: row.body ?? undefined };
}
