import { MAX_EXPORTS, MAX_EXPORTS_BYTES, type RequestExport } from "../../access/request-export.ts";
import type { PostgresPool } from "../postgres/postgres-pool.ts";
import type { AppendResult, ExportChunk, ExportStore } from "./export-store.ts";

const TIDY_EVERY_MS = 60_000;

interface PostgresExportOptions {
  readonly pool: PostgresPool;
  /** The id of this process. */
  readonly instanceId: string;
  /** How long a process may be silent before it counts as lost: an interval of PostgreSQL. */
  readonly lostAfter: string;
  readonly nowMs: () => number;
}

interface ExportRow extends Pick<RequestExport, "id" | "role" | "format" | "state" | "error"> {
  readonly owner_id: string;
  readonly account_id: string | null;
  readonly filters: string;
  readonly rows: bigint;
  readonly total: bigint | null;
  readonly bytes: bigint;
  readonly created_at_ms: bigint;
  readonly ended_at_ms: bigint | null;
  readonly expires_at_ms: bigint;
}

/** Without this lock, two concurrent transactions would each miss the other's export in the count. */
const LOCK_OWNER = "select pg_advisory_xact_lock(hashtextextended('exports of ' || $1, 0))";

const ADD = `insert into exports (id, owner_id, instance_id, role, account_id, format, filters, state, rows, total, bytes, error,
    created_at_ms, ended_at_ms, expires_at_ms)
  select $1, $2, $3, $4, $5, $6, $7, 'running', 0, null, 0, null, $8::bigint, null, $9::bigint
  where (select count(*) from exports where owner_id = $2) < ${MAX_EXPORTS}`;

/** Adds the chunk and the progress together, unless another process has ended the export. */
const APPEND = `with running as (
    update exports set rows = rows + $2, total = $3, bytes = bytes + $4 where id = $1 and state = 'running' returning bytes)
  insert into export_chunks (export_id, at_byte, text) select $1, bytes - $4, $5 from running`;

const END = `with ended as (
    update exports set state = $2, error = $3, ended_at_ms = $4, total = case $2 when 'done' then rows else total end,
      bytes = case $2 when 'done' then bytes else 0 end
    where id = $1 and state = 'running' returning id)
  delete from export_chunks where export_id in (select id from ended) and $2 <> 'done'`;

/** Exports of requests in PostgreSQL. Any process can return them. Each is written by one process. */
export class PostgresExportStore implements ExportStore {
  readonly #options: PostgresExportOptions;
  /** The running exports of this process. An export whose end could not be written is not in this set, and is interrupted. */
  readonly #writing = new Set<string>();
  readonly #timer: Timer;

  constructor(options: PostgresExportOptions) {
    this.#options = options;
    // A failure is retried, and reported by the next call that needs the database.
    this.#timer = setInterval(() => void this.#tidy().catch(() => undefined), TIDY_EVERY_MS).unref();
  }

  async find(id: string): Promise<RequestExport | undefined> {
    await this.#tidy();
    const [row] = await this.#options.pool.query<ExportRow>("select * from exports where id = $1", [id]);
    return row && fromRow(row);
  }

  async listOf(ownerId: string): Promise<readonly RequestExport[]> {
    await this.#tidy();
    const rows = await this.#options.pool.query<ExportRow>("select * from exports where owner_id = $1 order by created_at_ms desc", [
      ownerId,
    ]);
    return rows.map(fromRow);
  }

  async add({ id, ownerId, role, accountId, format, filters, createdAtMs, expiresAtMs }: RequestExport): Promise<boolean> {
    await this.#tidy();
    const { pool, instanceId } = this.#options;
    const values = [id, ownerId, instanceId, role, accountId, format, JSON.stringify(filters), createdAtMs, expiresAtMs];
    this.#writing.add(id);
    const { count } = await pool.transaction(async (connection) => {
      await connection.query(LOCK_OWNER, [ownerId]);
      return connection.query(ADD, values);
    });
    if (count !== 1) this.#writing.delete(id);
    return count === 1;
  }

  async append(id: string, { text, rows, total }: ExportChunk): Promise<AppendResult> {
    const { pool } = this.#options;
    const bytes = Buffer.byteLength(text);
    const [used] = await pool.query<{ bytes: bigint }>("select coalesce(sum(bytes), 0)::bigint as bytes from exports");
    if (Number(used!.bytes) + bytes > MAX_EXPORTS_BYTES) return "full";
    const { count } = await pool.query(APPEND, [id, rows, total, bytes, text]);
    if (count !== 1) this.#writing.delete(id);
    return count === 1 ? "appended" : "stopped";
  }

  async end(id: string, state: "done" | "failed" | "cancelled", error: string | null = null): Promise<void> {
    this.#writing.delete(id);
    await this.#options.pool.query(END, [id, state, error, this.#options.nowMs()]);
  }

  async remove(id: string): Promise<void> {
    await this.#options.pool.query("delete from exports where id = $1", [id]);
  }

  async removeWithAccount(accountId: string): Promise<void> {
    await this.#options.pool.query("delete from exports where account_id is null or account_id = $1", [accountId]);
  }

  async *read({ id, bytes }: RequestExport): AsyncGenerator<string, void> {
    for (let at = 0; at < bytes;) {
      const [chunk] = await this.#options.pool.query<{ text: string }>(
        "select text from export_chunks where export_id = $1 and at_byte = $2",
        [id, at],
      );
      if (!chunk) throw new Error(`the export ${id} was deleted, or has no chunk at ${at} of ${bytes} bytes`);
      at += Buffer.byteLength(chunk.text);
      yield chunk.text;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#writing.clear();
    await this.#interruptOwn();
  }

  /** Interrupts exports of this process that it no longer writes. */
  #interruptOwn(): Promise<void> {
    return this.#interrupt("instance_id = $2 and id <> all ($3::text[])", [this.#options.instanceId, [...this.#writing]]);
  }

  /** Deletes expired exports, and interrupts the exports of lost processes. */
  async #tidy(): Promise<void> {
    const { pool, nowMs, lostAfter } = this.#options;
    await pool.query("delete from exports where expires_at_ms <= $1", [nowMs()]);
    const isLive = `select from instances where id = instance_id and state = 'live' and seen_at >= authority_now() - ${lostAfter}`;
    await this.#interrupt(`not exists (${isLive})`, []);
    await this.#interruptOwn();
  }

  async #interrupt(condition: string, values: readonly unknown[]): Promise<void> {
    const text = `with interrupted as (
        update exports set state = 'interrupted', ended_at_ms = $1, bytes = 0 where exports.state = 'running' and ${condition} returning id)
      delete from export_chunks where export_id in (select id from interrupted)`;
    await this.#options.pool.query(text, [this.#options.nowMs(), ...values]);
  }
}

function fromRow({ id, role, format, state, error, ...row }: ExportRow): RequestExport {
  return {
    id,
    ownerId: row.owner_id,
    role,
    accountId: row.account_id,
    format,
    filters: JSON.parse(row.filters) as RequestExport["filters"],
    state,
    rows: Number(row.rows),
    total: row.total === null ? null : Number(row.total),
    bytes: Number(row.bytes),
    error,
    createdAtMs: Number(row.created_at_ms),
    endedAtMs: row.ended_at_ms === null ? null : Number(row.ended_at_ms),
    expiresAtMs: Number(row.expires_at_ms),
  };
}
