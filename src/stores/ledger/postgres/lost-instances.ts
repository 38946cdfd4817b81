import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { LOST_AFTER } from "./locked-purses.ts";

/**
 * In how many checks in a row a process must have been silent. After an outage of the database, or of this process, all of them were silent for
 * long: those that live call again between two checks.
 */
const SILENT_CHECKS = 3;

const READ = `select id, extract(epoch from seen_at)::text as seen_at, seen_at < authority_now() - ${LOST_AFTER} as is_lost
  from instances where state = 'live' and durability = 'cluster'`;

interface Silence {
  /** Its last call. */
  readonly seenAt: string;
  readonly checks: number;
}

/**
 * Finds the lost processes that can be written off without an operator: those with durability `cluster`. Every charge for a response that a
 * client has received to its end is in the database, so nobody needs their journals.
 */
export class LostInstances {
  readonly #pool: Pick<PostgresPool, "query">;
  #silences: ReadonlyMap<string, Silence> = new Map();

  constructor(pool: Pick<PostgresPool, "query">) {
    this.#pool = pool;
  }

  /** To be called again and again, with a pause in which every process that lives calls the database. */
  async find(): Promise<readonly string[]> {
    const rows = await this.#pool.query<{ readonly id: string; readonly seen_at: string; readonly is_lost: boolean }>(READ);
    const before = this.#silences;
    this.#silences = new Map(rows.map(({ id, seen_at: seenAt }) => [id, { seenAt, checks: checksAt(before.get(id), seenAt) }]));
    return rows.flatMap(({ id, is_lost: isLost }) => (isLost && this.#silences.get(id)!.checks >= SILENT_CHECKS ? [id] : []));
  }

  /** The checks until now were interrupted. */
  forget(): void {
    this.#silences = new Map();
  }
}

function checksAt(before: Silence | undefined, seenAt: string): number {
  return before?.seenAt === seenAt ? before.checks + 1 : 1;
}
