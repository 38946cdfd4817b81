import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";

interface WatermarkOptions {
  readonly pool: PostgresPool;
  /** The table of the watermark, and the id that it follows, which is a column of another table. */
  readonly table: string;
  readonly follows: { readonly table: string; readonly column: string };
  /** The number of entries that may be missing. */
  readonly unrolled: number;
  /** Entries added by one transaction. */
  readonly entriesAtOnce: number;
  /** Adds the entries after `asOfId`, up to `toId`. */
  readonly add: (connection: PostgresConnection, asOfId: number, toId: number) => Promise<void>;
}

/**
 * The last entry that is in the rollups. Its row is locked while entries are added: any number of processes may try, and one of them
 * succeeds.
 */
export class Watermark {
  readonly #options: WatermarkOptions;
  /** Reduced after a failure: a statement may have exceeded its time limit. */
  #entriesAtOnce: number;

  constructor(options: WatermarkOptions) {
    this.#options = options;
    this.#entriesAtOnce = options.entriesAtOnce;
  }

  /** Adds the next entries, if enough are missing and no other process is adding them. Returns whether it has added any. */
  async move(): Promise<boolean> {
    const { pool, entriesAtOnce } = this.#options;
    try {
      const hasMoved = await pool.transaction((connection) => this.#move(connection));
      this.#entriesAtOnce = Math.min(entriesAtOnce, this.#entriesAtOnce * 2);
      return hasMoved;
    } catch (error) {
      this.#entriesAtOnce = Math.ceil(this.#entriesAtOnce / 2);
      throw error;
    }
  }

  async #move(connection: PostgresConnection): Promise<boolean> {
    const { table, follows, unrolled, add } = this.#options;
    // Returns no row, and nothing is written, if another process has locked the row or too few entries are missing.
    const [due] = await connection.query<{ as_of_id: bigint; last_id: bigint }>(
      `select own.as_of_id, followed.${follows.column} as last_id from ${table} as own, ${follows.table} as followed
      where followed.${follows.column} - own.as_of_id > $1 for update of own skip locked`,
      [unrolled],
    );
    if (!due) return false;
    const asOfId = Number(due.as_of_id);
    const toId = Math.min(Number(due.last_id), asOfId + this.#entriesAtOnce);
    await add(connection, asOfId, toId);
    await connection.query(`update ${table} set as_of_id = $1`, [toId]);
    return true;
  }
}
