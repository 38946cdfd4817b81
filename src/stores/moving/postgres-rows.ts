import type { PostgresConnection, PostgresPool } from "../postgres/postgres-pool.ts";
import type { MovedRow, MovedTable } from "./moved-table.ts";

/** The maximum number of rows in one statement. */
const ROWS_AT_ONCE = 500;
/** The approximate maximum number of characters in one statement: rows with prompts and responses are long. */
const CHARS_AT_ONCE = 4_000_000;

/** Reads the rows of a table in PostgreSQL in batches, in the open transaction, and passes each row on. */
export async function readPostgresRows(
  connection: PostgresConnection,
  { postgres, columns, orderBy }: MovedTable,
  take: (row: MovedRow) => void,
): Promise<void> {
  const values = columns.map(({ name, fromPostgres }) => `${fromPostgres ?? `"${name}"::text`} as "${name}"`);
  await connection.query(
    `declare moved_rows cursor for select ${values.join(", ")} from ${postgres}${orderBy ? ` order by ${postgres}.${orderBy}` : ""}`,
  );
  for (;;) {
    const rows = await connection.query<Record<string, string | null>>(`fetch ${ROWS_AT_ONCE} from moved_rows`);
    for (const row of rows) take(columns.map(({ name }) => row[name]!));
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await connection.query("close moved_rows");
}

/** Inserts rows into a table in PostgreSQL, many with one statement. Call `flush` for the last rows. */
export class PostgresRowWriter {
  readonly #on: Pick<PostgresPool, "query">;
  readonly #names: readonly string[];
  readonly #statement: string;
  #rows: string[] = [];
  #chars = 0;

  constructor(on: Pick<PostgresPool, "query">, { postgres, columns }: MovedTable) {
    this.#on = on;
    this.#names = columns.map(({ name }) => name);
    const names = columns.map(({ name }) => `"${name}"`).join(", ");
    const types = columns.map(({ name, type }) => `"${name}" ${type}`).join(", ");
    this.#statement = `insert into ${postgres} (${names}) select ${names} from json_to_recordset($1::text::json) as given (${types})`;
  }

  async add(row: MovedRow): Promise<void> {
    const json = JSON.stringify(Object.fromEntries(row.map((value, at) => [this.#names[at]!, value])));
    this.#rows.push(json);
    this.#chars += json.length;
    if (this.#rows.length >= ROWS_AT_ONCE || this.#chars >= CHARS_AT_ONCE) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    const json = `[${this.#rows.join(",")}]`;
    this.#rows = [];
    this.#chars = 0;
    await this.#on.query(this.#statement, [json]);
  }
}
