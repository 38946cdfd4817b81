import { sql, type SelectQueryBuilder } from "kysely";
import type { Change } from "../../access/change.ts";
import type { Acknowledgement, RaisedAlert } from "../../alerts/raised-alert.ts";
import type { Database, Tables } from "../database.ts";
import { recordChange } from "../record-change.ts";
import type { AlertFilter, AlertPosition, RaisedAlertStore } from "./raised-alert-store.ts";
import { fromRow, type RaisedAlertTable } from "./raised-alert-table.ts";

type Query = SelectQueryBuilder<Tables, "raised_alerts", RaisedAlertTable>;

const COLUMNS = { kind: "kind", accountId: "account_id", keyId: "key_id", upstream: "upstream", model: "model" } as const;

/** The list of raised alerts in a database. */
export class SqlRaisedAlertStore implements RaisedAlertStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<RaisedAlert | undefined> {
    const row = await this.#database.selectFrom("raised_alerts").selectAll().where("id", "=", id).executeTakeFirst();
    return row && fromRow(row);
  }

  async list(filter: AlertFilter, after: AlertPosition | undefined, limit: number): Promise<readonly RaisedAlert[]> {
    let query = withState(this.#database.selectFrom("raised_alerts").selectAll(), filter.state);
    for (const [name, column] of Object.entries(COLUMNS)) {
      const value = filter[name as keyof typeof COLUMNS];
      if (value !== undefined) query = query.where(column, "=", value);
    }
    if (after) query = query.where(sql<boolean>`(at_ms, id) < (${after.atMs}, ${after.id})`);
    return (await query.orderBy("at_ms", "desc").orderBy("id", "desc").limit(limit).execute()).map(fromRow);
  }

  async countOpen(): Promise<number> {
    const open = this.#database.selectFrom("raised_alerts").where("resolved_at_ms", "is", null).where("acknowledged_at_ms", "is", null);
    return (await open.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count;
  }

  acknowledge(id: string, { atMs, by, byName }: Acknowledgement, change: Change): Promise<void> {
    const acknowledged = { acknowledged_at_ms: atMs, acknowledged_by: by, acknowledged_by_name: byName };
    return this.#database.write(
      this.#database.updateTable("raised_alerts").set(acknowledged).where("id", "=", id).where("acknowledged_at_ms", "is", null),
      recordChange(this.#database, change),
    );
  }
}

function withState(query: Query, state: AlertFilter["state"]): Query {
  if (state === undefined) return query;
  if (state === "resolved") return query.where("resolved_at_ms", "is not", null);
  return query.where("resolved_at_ms", "is", null).where("acknowledged_at_ms", state === "open" ? "is" : "is not", null);
}
