import type { Compilable } from "kysely";
import type { Change, Make, Recorded } from "../../access/change.ts";
import { endOf, type Session } from "../../access/session.ts";
import type { Database } from "../database.ts";
import { LastUsedTimes } from "../last-used-times.ts";
import { recordChange } from "../record-change.ts";
import type { SessionStore } from "./session-store.ts";
import { fromRow, toRow } from "./session-table.ts";

const MAX_PER_PERSON = 50;

/** Sessions in a database, all of them in memory too. */
export class SqlSessionStore implements SessionStore {
  readonly #database: Database;
  /** By hash. */
  readonly #sessions: Map<string, Session>;
  readonly #lastSeen: LastUsedTimes;

  static async open(database: Database): Promise<SqlSessionStore> {
    const rows = await database.selectFrom("sessions").selectAll().orderBy("created_at_ms").execute();
    return new SqlSessionStore(database, new Map(rows.map((row) => [row.hash, fromRow(row)])));
  }

  private constructor(database: Database, sessions: Map<string, Session>) {
    this.#database = database;
    this.#sessions = sessions;
    this.#lastSeen = new LastUsedTimes((times) =>
      database.write(
        ...times.entries().map(([id, atMs]) => database.updateTable("sessions").set({ last_seen_at_ms: atMs }).where("id", "=", id)),
      ),
    );
  }

  find(hash: string): Session | undefined {
    return this.#sessions.get(hash);
  }

  async add(session: Session, change: Change, insteadOf?: Session): Promise<void> {
    const replaced = [...this.#replaced(session), ...(insteadOf ? [insteadOf] : [])];
    for (const { hash } of replaced) this.#sessions.delete(hash);
    const insert = this.#database.insertInto("sessions").values(toRow(session));
    await this.#database.change(
      "session",
      [session, ...replaced].map(({ hash }) => hash),
      () => ({ change }),
      () => ({
        statements: [...this.#remove(replaced), insert, recordChange(this.#database, change)],
        apply: () => this.#sessions.set(session.hash, session),
      }),
    );
  }

  touch({ hash }: Session, nowMs: number): void {
    const session = this.#sessions.get(hash);
    if (!session || !LastUsedTimes.isNews(session.lastSeenAtMs, nowMs)) return;
    this.#sessions.set(hash, { ...session, lastSeenAtMs: nowMs });
    this.#lastSeen.note(session.id, nowMs);
  }

  end<Made extends Recorded | undefined>(hash: string, make: Make<Session, Made>): Promise<Made> {
    return this.#database.change(
      "session",
      [hash],
      () => make(this.#sessions.get(hash)),
      ({ change }) => {
        const session = this.#sessions.get(hash);
        const end = (): unknown => this.#sessions.delete(hash);
        const statements = [...this.#remove(session ? [session] : []), recordChange(this.#database, change)];
        return { statements, apply: end, applyUnwritten: end };
      },
    );
  }

  listOf(personId: string): readonly Session[] {
    // The map is in the order of creation.
    const sessions = this.#sessions.values().filter((session) => session.personId === personId);
    return sessions.toArray().toReversed();
  }

  close(): Promise<void> {
    return this.#lastSeen.flush();
  }

  /** The sessions that a new one replaces: expired ones, and the person's oldest above the limit. */
  #replaced({ personId, createdAtMs: nowMs }: Session): Session[] {
    const old = this.#sessions.values().filter((session) => endOf(session) <= nowMs);
    return [...old, ...this.listOf(personId).slice(MAX_PER_PERSON - 1)];
  }

  #remove(sessions: readonly Session[]): Compilable[] {
    return sessions.map(({ id }) => this.#database.deleteFrom("sessions").where("id", "=", id));
  }
}
