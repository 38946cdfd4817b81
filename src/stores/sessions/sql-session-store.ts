import type { Compilable } from "kysely";
import type { Change, MakeChange, AuditedChange } from "../../access/change.ts";
import { endOf, type Session } from "../../access/session.ts";
import { CachedRecords } from "../cached-records.ts";
import type { Database, RecordCache, RecordReader } from "../database.ts";
import { LastUsedTimes } from "../last-used-times.ts";
import { recordChange } from "../record-change.ts";
import type { SessionStore } from "./session-store.ts";
import { fromRow, toRow } from "./session-table.ts";

const MAX_PER_PERSON = 50;

/** Sessions in a database, with a copy of all of them in memory. */
export class SqlSessionStore implements SessionStore, RecordCache {
  readonly #database: Database;
  /** Sessions by hash. */
  readonly #sessions = new CachedRecords<Session>();
  readonly #lastSeen = new LastUsedTimes((times) => this.#writeLastSeen(times));

  static async open(database: Database): Promise<SqlSessionStore> {
    const store = new SqlSessionStore(database);
    await database.cache("session", store);
    return store;
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  async reload(hashes: readonly string[] | "all", reader: RecordReader): Promise<void> {
    const all = reader.selectFrom("sessions").selectAll().orderBy("created_at_ms");
    const rows = await (hashes === "all" ? all : all.where("hash", "in", hashes)).execute();
    this.#sessions.replace(hashes, new Map(rows.map((row) => [row.hash, fromRow(row)])));
  }

  find(hash: string): Session | undefined {
    return this.#sessions.get(hash);
  }

  async add(session: Session, change: Change, insteadOf?: Session): Promise<void> {
    const insert = this.#database.insertInto("sessions").values(toRow(session));
    await this.#database.change(
      "session",
      [session.hash],
      () => ({ replaced: [...this.#replaced(session), ...(insteadOf ? [insteadOf] : [])].map(({ hash }) => hash) }),
      ({ replaced }) => ({
        statements: [...replaced.map((hash) => this.#delete(hash)), insert, recordChange(this.#database, change)],
        alsoChanged: [{ kind: "session", ids: replaced }],
        apply: () => {
          for (const hash of replaced) this.#sessions.remove(hash);
          this.#sessions.put(session.hash, session);
        },
        applyUnwritten: () => {
          for (const hash of replaced) this.#sessions.lose(hash, undefined);
        },
      }),
    );
  }

  touch({ hash }: Session, nowMs: number): void {
    const session = this.#sessions.get(hash);
    if (!session || !LastUsedTimes.isNews(session.lastSeenAtMs, nowMs)) return;
    this.#sessions.touch(hash, { ...session, lastSeenAtMs: nowMs });
    this.#lastSeen.note(hash, nowMs);
  }

  end<Made extends AuditedChange | undefined>(hash: string, make: MakeChange<Session, Made>): Promise<Made> {
    return this.#database.change(
      "session",
      [hash],
      () => make(this.#sessions.get(hash)),
      ({ change }) => ({
        statements: [this.#delete(hash), recordChange(this.#database, change)],
        apply: () => this.#sessions.remove(hash),
        applyUnwritten: () => this.#sessions.lose(hash, undefined),
      }),
    );
  }

  listOf(personId: string): readonly Session[] {
    const sessions = this.#sessions.values().filter((session) => session.personId === personId);
    return sessions.toArray().toReversed().toSorted(newestFirst);
  }

  close(): Promise<void> {
    return this.#lastSeen.flush();
  }

  /** The sessions that are ended when a new one is added: expired sessions, and the person's oldest sessions above the limit. */
  #replaced({ personId, createdAtMs: nowMs }: Session): Session[] {
    const old = this.#sessions.values().filter((session) => endOf(session) <= nowMs);
    return [...old, ...this.listOf(personId).slice(MAX_PER_PERSON - 1)];
  }

  #delete(hash: string): Compilable {
    return this.#database.deleteFrom("sessions").where("hash", "=", hash);
  }

  /** Written as a change of the session records, so that a session is not idle in one process while it is used through another. */
  async #writeLastSeen(times: ReadonlyMap<string, number>): Promise<void> {
    await this.#database.change(
      "session",
      [...times.keys()],
      () => times,
      () => ({
        statements: [...times].map(([hash, atMs]) =>
          this.#database.updateTable("sessions").set({ last_seen_at_ms: atMs }).where("hash", "=", hash),
        ),
        apply: () => times.forEach((atMs, hash) => this.#see(hash, atMs)),
      }),
    );
  }

  /** Keeps the later time: this process may have reloaded the session with an earlier time that another process has written. */
  #see(hash: string, atMs: number): void {
    const session = this.#sessions.get(hash);
    if (session && session.lastSeenAtMs < atMs) this.#sessions.touch(hash, { ...session, lastSeenAtMs: atMs });
  }
}

function newestFirst(one: Session, other: Session): number {
  return other.createdAtMs - one.createdAtMs;
}
