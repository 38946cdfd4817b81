import type { Database as SqliteFile } from "bun:sqlite";
import { IDEMPOTENCY_RETENTION_MS } from "../../../requests/idempotency-retention.ts";
import type { IdempotentReply } from "../ledger-store.ts";

const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
/** Between two deletions of expired replies. */
const CLEAN_UP_EVERY_MS = 60_000;

interface ReplyRow {
  scope: string;
  digest: string;
  request_id: string;
  at_ms: number;
  headers: string;
  body: string | null;
}

/** Idempotent replies, in the table `answers`: stored for 24 hours, and at most 256 MB of them; the oldest are deleted first. */
export class IdempotentReplyTable {
  readonly #file: SqliteFile;
  readonly #maxTotalBytes: number;
  #totalBytes: number;
  #cleanedUpAtMs = 0;

  constructor(file: SqliteFile, maxTotalBytes: number = MAX_TOTAL_BYTES) {
    this.#file = file;
    this.#maxTotalBytes = maxTotalBytes;
    this.#totalBytes = this.#countBytes();
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
    this.#totalBytes += body === undefined ? 0 : Buffer.byteLength(body);
    if (Math.abs(atMs - this.#cleanedUpAtMs) > CLEAN_UP_EVERY_MS || this.#totalBytes > this.#maxTotalBytes) this.#cleanUp(atMs);
  }

  #cleanUp(nowMs: number): void {
    this.#cleanedUpAtMs = nowMs;
    this.#file.query("delete from answers where at_ms <= ?").run(nowMs - IDEMPOTENCY_RETENTION_MS);
    this.#totalBytes = this.#countBytes();
    const oldest = this.#file.query<{ scope: string; bytes: number }, []>(
      "select scope, coalesce(octet_length(body), 0) as bytes from answers order by at_ms limit 100",
    );
    while (this.#totalBytes > this.#maxTotalBytes) {
      for (const { scope, bytes } of oldest.all()) {
        if (this.#totalBytes <= this.#maxTotalBytes) break;
        this.#file.query("delete from answers where scope = ?").run(scope);
        this.#totalBytes -= bytes;
      }
    }
  }

  #countBytes(): number {
    return this.#file.query<{ bytes: number }, []>("select coalesce(sum(octet_length(body)), 0) as bytes from answers").get()!.bytes;
  }
}

function fromRow(row: ReplyRow): IdempotentReply {
  const headers = JSON.parse(row.headers) as Record<string, string>;
  return { scope: row.scope, digest: row.digest, requestId: row.request_id, atMs: row.at_ms, headers, body: row.body ?? undefined };
}
