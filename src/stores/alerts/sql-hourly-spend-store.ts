import { sql, type Compilable, type CompiledQuery } from "kysely";
import type { Database } from "../database.ts";
import type { HourlySpend, HourlySpendStore } from "./hourly-spend-store.ts";
import { fromRow, toRow } from "./hourly-spend-table.ts";

/** Hourly spend baselines in a database: one row for each key that has ever spent anything. */
export class SqlHourlySpendStore implements HourlySpendStore {
  readonly #database: Database;
  readonly #upsert: CompiledQuery;

  constructor(database: Database) {
    this.#database = database;
    this.#upsert = upsert(database);
  }

  async find(keyIds: readonly string[]): Promise<ReadonlyMap<string, HourlySpend>> {
    if (keyIds.length === 0) return new Map();
    const rows = await this.#database.selectFrom("key_hours").selectAll().where("key_id", "in", keyIds).execute();
    return new Map(rows.map((row) => [row.key_id, fromRow(row)]));
  }

  async put(hours: readonly (readonly [keyId: string, HourlySpend])[]): Promise<void> {
    await this.#database.write(...hours.map(([keyId, each]) => this.#put(keyId, each)));
  }

  /** Reuses the compiled statement: compiling costs more than running it. */
  #put(keyId: string, each: HourlySpend): Compilable {
    const row = toRow(keyId, each);
    return { compile: () => ({ ...this.#upsert, parameters: [row.key_id, row.hour, row.nanos, row.total_nanos, row.days] }) };
  }
}

function upsert(database: Database): CompiledQuery {
  return database
    .insertInto("key_hours")
    .values({ key_id: "", hour: 0, nanos: "", total_nanos: "", days: "" })
    .onConflict((conflict) =>
      conflict.column("key_id").doUpdateSet({
        hour: sql`excluded.hour`,
        nanos: sql`excluded.nanos`,
        total_nanos: sql`excluded.total_nanos`,
        days: sql`excluded.days`,
      }),
    )
    .compile();
}
