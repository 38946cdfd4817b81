import type { Change, Target } from "../../access/change.ts";
import type { Database } from "../database.ts";
import type { AuditLogStore, ChangeFilter, RecordedChange } from "./audit-log-store.ts";
import { fromRow, toRow } from "./change-table.ts";

/** The audit log in a database. */
export class SqlAuditLogStore implements AuditLogStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(change: Change): Promise<void> {
    await this.#database.write(this.#database.insertInto("changes").values(toRow(change)));
  }

  async page(filter: ChangeFilter, before: number, limit: number): Promise<readonly RecordedChange[]> {
    let query = this.#database.selectFrom("changes").selectAll().where("id", "<", before).orderBy("id", "desc").limit(limit);
    const { actor, action, targetKind, targetId, accountId, fromMs, toMs } = filter;
    if (actor !== undefined) query = query.where("actor", "=", actor);
    if (action !== undefined) query = query.where("action", "=", action);
    if (targetKind !== undefined) query = query.where("target_kind", "=", targetKind);
    if (targetId !== undefined) query = query.where("target_id", "=", targetId);
    if (accountId !== undefined) query = query.where("account_id", "=", accountId);
    if (fromMs !== undefined) query = query.where("at_ms", ">=", fromMs);
    if (toMs !== undefined) query = query.where("at_ms", "<", toMs);
    return (await query.execute()).map(fromRow);
  }

  async findCreation(actor: string, idempotencyKey: string): Promise<{ target: Target; digest: string } | undefined> {
    const row = await this.#database
      .selectFrom("changes")
      .selectAll()
      .where("actor", "=", actor)
      .where("idempotency_key", "=", idempotencyKey)
      .executeTakeFirst();
    if (!row) return undefined;
    const { target, idempotency } = fromRow(row);
    return { target, digest: idempotency!.digest };
  }
}
