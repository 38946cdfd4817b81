import type { AccessToken } from "../../access/access-token.ts";
import type { Change, Make, Update } from "../../access/change.ts";
import type { Database } from "../database.ts";
import { LastUsedTimes } from "../last-used-times.ts";
import { recordChange } from "../record-change.ts";
import type { AccessTokenStore } from "./access-token-store.ts";
import { fromRow, toRow } from "./access-token-table.ts";

/** Access tokens in a database, all of them in memory too. */
export class SqlAccessTokenStore implements AccessTokenStore {
  readonly #database: Database;
  readonly #tokens: Map<string, AccessToken>;
  readonly #lastUsed: LastUsedTimes;

  static async open(database: Database): Promise<SqlAccessTokenStore> {
    const rows = await database.selectFrom("access_tokens").selectAll().orderBy("created_at_ms").execute();
    return new SqlAccessTokenStore(database, new Map(rows.map((row) => [row.id, fromRow(row)])));
  }

  private constructor(database: Database, tokens: Map<string, AccessToken>) {
    this.#database = database;
    this.#tokens = tokens;
    this.#lastUsed = new LastUsedTimes((times) =>
      database.write(
        ...times.entries().map(([id, atMs]) => database.updateTable("access_tokens").set({ last_used_at_ms: atMs }).where("id", "=", id)),
      ),
    );
  }

  find(id: string): AccessToken | undefined {
    return this.#tokens.get(id);
  }

  async add(token: AccessToken, change: Change): Promise<void> {
    const insert = this.#database.insertInto("access_tokens").values(toRow(token));
    await this.#database.change(
      "access_token",
      [token.id],
      () => ({ change }),
      () => ({ statements: [insert, recordChange(this.#database, change)], apply: () => this.#tokens.set(token.id, token) }),
    );
  }

  revoke<Made extends Update<AccessToken> | undefined>(id: string, make: Make<AccessToken, Made>): Promise<Made> {
    return this.#database.change(
      "access_token",
      [id],
      () => make(this.#tokens.get(id)),
      ({ record, change }) => {
        const update = this.#database.updateTable("access_tokens").set({ revoked_at_ms: record.revokedAtMs }).where("id", "=", id);
        const revoke = (): unknown => this.#tokens.set(id, record);
        // The token is rejected even where the revocation cannot be written.
        return { statements: [update, recordChange(this.#database, change)], apply: revoke, applyUnwritten: revoke };
      },
    );
  }

  touch({ id }: AccessToken, nowMs: number): void {
    const token = this.#tokens.get(id);
    if (!token || !LastUsedTimes.isNews(token.lastUsedAtMs, nowMs)) return;
    this.#tokens.set(id, { ...token, lastUsedAtMs: nowMs });
    this.#lastUsed.note(id, nowMs);
  }

  listOf(personId: string): readonly AccessToken[] {
    // The map is in the order of creation.
    const tokens = this.#tokens.values().filter((token) => token.personId === personId);
    return tokens.toArray().toReversed();
  }

  close(): Promise<void> {
    return this.#lastUsed.flush();
  }
}
