import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import type { AttributionOverflows } from "../ledger-record-store.ts";
import { GRANULARITIES, GRANULARITY_MS } from "../usage/granularity.ts";
import { DEFAULT_NAMES_PER_DAY } from "../usage/rollup-updater.ts";
import { addAttributedUsage } from "./attribution/attribution-rollups.ts";
import { Watermark } from "./watermark.ts";
import { ADD_UP, addTo, MEASURES_OF_ENTRY, SUM_COLUMNS } from "./sum-columns.ts";

export interface Pace {
  /**
   * The number of entries that may be missing in the rollups. Reports add them up themselves; by end user that takes tens of milliseconds.
   * Adding them sooner would write the same rows more often.
   */
  readonly unrolled: number;
  /**
   * Entries added by one transaction, which takes tenths of a second, or several seconds if nearly every entry belongs to another series.
   */
  readonly entriesAtOnce: number;
  /** The maximum number of end users, of conversations and of values of a tag, for an account and day. */
  readonly namesPerDay: number;
}

const PACE: Pace = { unrolled: 5000, entriesAtOnce: 20_000, namesPerDay: DEFAULT_NAMES_PER_DAY };
const CHECK_EVERY_MS = 1000;

const ADD_TO_SUMS = `
  with ended as (select account_id, key_id, model, coalesce(upstream, '') as upstream, at_ms, ${MEASURES_OF_ENTRY}
    from entries where id > $1 and id <= $2 and kind in ('settle', 'release')),
  quarters as (select account_id, key_id, model, upstream, at_ms / ${GRANULARITY_MS.quarter} as quarter, min(at_ms) as first_ms,
    max(at_ms) as last_ms, ${ADD_UP} from ended group by 1, 2, 3, 4, 5)
  insert into usage_sums (account_id, grain, slot, key_id, model, upstream, first_ms, last_ms, ${SUM_COLUMNS})
    select whose.account_id, $3::text, quarter * ${GRANULARITY_MS.quarter} / $4::bigint, whose.key_id, model, upstream,
      min(first_ms), max(last_ms), ${ADD_UP}
    from quarters, lateral (values (quarters.account_id, quarters.key_id), ('', '')) as whose(account_id, key_id)
    group by 1, 2, 3, 4, 5, 6
  on conflict (account_id, grain, slot, key_id, model, upstream) do update set
    first_ms = least(usage_sums.first_ms, excluded.first_ms), last_ms = greatest(usage_sums.last_ms, excluded.last_ms),
    ${addTo("usage_sums")}`;

const ADD_BLOCK = `insert into entry_blocks (first_id, last_id, first_ms, last_ms)
  select min(id), max(id), min(at_ms), max(at_ms) from entries where id > $1 and id <= $2 having count(*) > 0`;

/**
 * Adds new entries to the rollups of usage and to the index of their times, and then to the rollups by end user, conversation and tag,
 * which never include an entry that the others lack.
 */
export class UsageRollups {
  readonly #watermarks: readonly Watermark[];
  readonly #namesPerDay: number;
  #timer: Timer | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #overflows: AttributionOverflows = { user: 0, conversation: 0, tag: 0 };

  constructor(pool: PostgresPool, pace: Partial<Pace> = {}) {
    const { unrolled, entriesAtOnce, namesPerDay } = { ...PACE, ...pace };
    this.#namesPerDay = namesPerDay;
    this.#watermarks = [
      new Watermark({
        pool,
        table: "usage_rolled",
        follows: { table: "ledger_head", column: "last_id" },
        unrolled,
        entriesAtOnce,
        add: addUsage,
      }),
      new Watermark({
        pool,
        table: "attribution_rolled",
        follows: { table: "usage_rolled", column: "as_of_id" },
        unrolled: 0,
        entriesAtOnce,
        add: (...piece) => this.#addAttributed(...piece),
      }),
    ];
  }

  /** The number of requests that this process has summed as `other`, or in no row of a tag. */
  get overflows(): AttributionOverflows {
    return this.#overflows;
  }

  /** Adds new entries in the background from now on. */
  start(): void {
    const check = (): void => {
      this.#running = this.#rollAll()
        // Retried at the next check.
        .catch(() => undefined)
        .finally(() => {
          if (this.#timer) this.#timer = setTimeout(check, CHECK_EVERY_MS).unref();
        });
    };
    this.#timer = setTimeout(check, 0).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  /** Adds the next entries, if enough are missing and no other process is adding them. Returns whether it has added any. */
  async roll(): Promise<boolean> {
    let hasRolled = false;
    for (const watermark of this.#watermarks) if (await watermark.move()) hasRolled = true;
    return hasRolled;
  }

  async #addAttributed(connection: PostgresConnection, asOfId: number, toId: number): Promise<void> {
    const { user, conversation, tag } = this.#overflows;
    const more = await addAttributedUsage(connection, asOfId, toId, this.#namesPerDay);
    this.#overflows = { user: user + more.user, conversation: conversation + more.conversation, tag: tag + more.tag };
  }

  async #rollAll(): Promise<void> {
    while (await this.roll()) if (!this.#timer) return;
  }
}

async function addUsage(connection: PostgresConnection, asOfId: number, toId: number): Promise<void> {
  // One statement after the other, because each has its own time limit.
  for (const grain of GRANULARITIES) await connection.query(ADD_TO_SUMS, [asOfId, toId, grain, GRANULARITY_MS[grain]]);
  await connection.query(ADD_BLOCK, [asOfId, toId]);
}
