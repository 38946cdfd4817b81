import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";

/** Entries counted in one turn of the event loop, which blocks it for a few milliseconds. */
const ENTRIES_AT_ONCE = 10_000;

/** The number of entries of an account up to an id. */
interface EntryCount {
  readonly id: number;
  readonly count: number;
}

const NONE: EntryCount = { id: 0, count: 0 };

const SLICE = `select count(*) as count, max(id) as id
  from (select id from entries where account_id = ? and kind <> 'hold' and id > ? and id <= ? order by id limit ${ENTRIES_AT_ONCE})`;

/**
 * Numbers the entries of each account 1, 2, 3 …, without holds. Entries are never deleted, so an entry's number is the count of entries up
 * to it. They are counted by index, in slices, when a list is read, so requests do not pay for it. The latest count of each account is
 * cached, and only later entries are counted again.
 */
export class EntryNumbers {
  readonly #file: SqliteFile;
  readonly #newest = new Map<string, EntryCount>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async numberOf(accountId: string, id: number): Promise<number> {
    const slices = this.#file.query<{ count: number; id: number | null }, [string, number, number]>(SLICE);
    let counted = this.#newest.get(accountId) ?? NONE;
    if (counted.id > id) counted = NONE;
    for (;;) {
      const slice = slices.get(accountId, counted.id, id)!;
      counted = { id: slice.id ?? counted.id, count: counted.count + slice.count };
      if (slice.count < ENTRIES_AT_ONCE) break;
      await nextTurn();
    }
    if (counted.id > (this.#newest.get(accountId) ?? NONE).id) this.#newest.set(accountId, counted);
    return counted.count;
  }
}
