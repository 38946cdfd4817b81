import { serviceOf, type AccessToken } from "../../access/access-token.ts";
import type { Change, MakeChange, Update } from "../../access/change.ts";
import { CachedRecords } from "../cached-records.ts";
import type { Database, RecordCache, RecordReader } from "../database.ts";
import { LastUsedTimes } from "../last-used-times.ts";
import { recordChange } from "../record-change.ts";
import type { AccessTokenStore } from "./access-token-store.ts";
import { fromRow, toRow } from "./access-token-table.ts";

/** Access tokens in a database, with a copy of all of them in memory. */
export class SqlAccessTokenStore implements AccessTokenStore, RecordCache {
  readonly #database: Database;
  readonly #tokens = new CachedRecords<AccessToken>({
    withLosses: (read, _, inForce) => ({ ...read, revokedAtMs: read.revokedAtMs ?? inForce.revokedAtMs }),
  });
  readonly #lastUsed = new LastUsedTimes((times) => this.#writeLastUsed(times));

  static async open(database: Database): Promise<SqlAccessTokenStore> {
    const store = new SqlAccessTokenStore(database);
    await database.cache("access_token", store);
    return store;
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  async reload(ids: readonly string[] | "all", reader: RecordReader): Promise<void> {
    const all = reader.selectFrom("access_tokens").selectAll().orderBy("created_at_ms");
    const rows = await (ids === "all" ? all : all.where("id", "in", ids)).execute();
    this.#tokens.replace(ids, new Map(rows.map((row) => [row.id, fromRow(row)])));
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
      () => ({ statements: [insert, recordChange(this.#database, change)], apply: () => this.#tokens.put(token.id, token) }),
    );
  }

  revoke<Made extends Update<AccessToken> | undefined>(id: string, make: MakeChange<AccessToken, Made>): Promise<Made> {
    return this.#database.change(
      "access_token",
      [id],
      () => make(this.#tokens.get(id)),
      ({ record, change }) => ({
        statements: [
          this.#database.updateTable("access_tokens").set({ revoked_at_ms: record.revokedAtMs }).where("id", "=", id),
          recordChange(this.#database, change),
        ],
        apply: () => this.#tokens.put(id, record),
        // The token is rejected even if the revocation cannot be written.
        applyUnwritten: () => this.#tokens.lose(id, record),
      }),
    );
  }

  touch({ id }: AccessToken, nowMs: number): void {
    const token = this.#tokens.get(id);
    if (!token || !LastUsedTimes.isNews(token.lastUsedAtMs, nowMs)) return;
    this.#tokens.touch(id, { ...token, lastUsedAtMs: nowMs });
    this.#lastUsed.note(id, nowMs);
  }

  listOf(personId: string): readonly AccessToken[] {
    return this.#listWhere((token) => token.personId === personId);
  }

  listOfServices(): readonly AccessToken[] {
    return this.#listWhere((token) => serviceOf(token) !== undefined);
  }

  #listWhere(isWanted: (token: AccessToken) => boolean): readonly AccessToken[] {
    return this.#tokens.values().filter(isWanted).toArray().toReversed().toSorted(newestFirst);
  }

  close(): Promise<void> {
    return this.#lastUsed.flush();
  }

  /** Written as a change of the token records, so that every process sees a use that any process has recorded. */
  async #writeLastUsed(times: ReadonlyMap<string, number>): Promise<void> {
    await this.#database.change(
      "access_token",
      [...times.keys()],
      () => times,
      () => ({
        statements: [...times].map(([id, atMs]) =>
          this.#database.updateTable("access_tokens").set({ last_used_at_ms: atMs }).where("id", "=", id),
        ),
        apply: () => times.forEach((atMs, id) => this.#use(id, atMs)),
      }),
    );
  }

  /** Keeps the later time: this process may have reloaded the token with an earlier time that another process has written. */
  #use(id: string, atMs: number): void {
    const token = this.#tokens.get(id);
    if (token && (token.lastUsedAtMs ?? 0) < atMs) this.#tokens.touch(id, { ...token, lastUsedAtMs: atMs });
  }
}

function newestFirst(one: AccessToken, other: AccessToken): number {
  return other.createdAtMs - one.createdAtMs;
}
