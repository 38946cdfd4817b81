import type { PostgresPool } from "../../postgres/postgres-pool.ts";

/** Entries counted by one statement, which takes a few milliseconds. */
const ENTRIES_AT_ONCE = 20_000;

/** The number of entries of an account up to an id. */
interface EntryCount {
  readonly id: number;
  readonly count: number;
}

const NONE: EntryCount = { id: 0, count: 0 };

const SLICE = `select count(*)::integer as count, max(id) as id
  from (select id from entries where account_id = $1 and kind <> 'hold' and id > $2 and id <= $3 order by id limit ${ENTRIES_AT_ONCE}) as slice`;

/**
 * Numbers the entries of each account 1, 2, 3 …, without holds. Entries are never deleted, so an entry's number is the count of entries up
 * to it, by index. The latest count of each account is cached, and only later entries are counted again.
 */
export class PostgresEntryNumbers {
  readonly #pool: PostgresPool;
  readonly #newest = new Map<string, EntryCount>();

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Forgets the counts, because the entries may have been replaced. */
  forget(): void {
    this.#newest.clear();
  }

  async numberOf(accountId: string, id: number): Promise<number> {
    let counted = this.#newest.get(accountId) ?? NONE;
    if (counted.id > id) counted = NONE;
    for (;;) {
      const [slice] = await this.#pool.query<{ count: number; id: bigint | null }>(SLICE, [accountId, counted.id, id]);
      const { count, id: lastId } = slice!;
      counted = { id: lastId === null ? counted.id : Number(lastId), count: counted.count + count };
      if (count < ENTRIES_AT_ONCE) break;
    }
    if (counted.id > (this.#newest.get(accountId) ?? NONE).id) this.#newest.set(accountId, counted);
    return counted.count;
  }
}
