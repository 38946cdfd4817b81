import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import type { IdRange, LedgerRows } from "./ledger-rows.ts";

/** The tables of the ledger in PostgreSQL. */
export class PostgresRows implements LedgerRows {
  /** Takes tens of milliseconds, and less time for each entry than small slices. */
  readonly sliceSize = 10_000;
  readonly inIdOrder = "";
  readonly #on: PostgresConnection;

  constructor(on: PostgresConnection) {
    this.#on = on;
  }

  async all<Row>(sql: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    const rows = await this.#on.query<Row>(sql, parameters);
    for (const row of rows as readonly Record<string, unknown>[]) {
      for (const name in row) if (typeof row[name] === "bigint") row[name] = Number(row[name]);
    }
    return rows;
  }

  /** The entries of a journal that was applied late have older times than the entries around them. */
  idRanges(fromMs: number, toMs: number): Promise<readonly IdRange[]> {
    return this.all<IdRange>(
      `select first_id as "firstId", last_id as "lastId" from entry_blocks where last_ms >= $1 and first_ms < $2
      union all select as_of_id + 1, last_id from usage_rolled, ledger_head where last_id > as_of_id order by 1`,
      [fromMs, toMs],
    );
  }

  async lastId(): Promise<number> {
    const [head] = await this.all<{ id: number }>("select last_id as id from ledger_head");
    return head!.id;
  }

  async oldestOpenId(): Promise<number> {
    const sql = "select coalesce((select min(hold_id) from open_holds), last_id + 1) as id from ledger_head";
    const [oldest] = await this.all<{ id: number }>(sql);
    return oldest!.id;
  }

  async yieldAfterSlice(): Promise<void> {}

  idList(parameter: string): string {
    return `(select value::bigint as value from json_array_elements_text(${parameter}::text::json) as value)`;
  }

  jsonText(column: string, field: string): string {
    return `${column}::jsonb ->> '${field}'`;
  }
}
