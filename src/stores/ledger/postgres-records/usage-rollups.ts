import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import type { AttributionOverflows } from "../ledger-record-store.ts";
import { GRANULARITIES, GRANULARITY_MS } from "../usage/granularity.ts";
import { DEFAULT_NAMES_PER_DAY } from "../usage/rollup-updater.ts";
import { addAttributedUsage } from "./attribution-rollups.ts";
import { ADD_UP, addTo, MEASURES_OF_ENTRY, SUM_COLUMNS } from "./sum-columns.ts";

export interface Pace {
  /** Entries that reports add up by themselves, in some tens of milliseconds: adding them to the rollups sooner would write the same rows more often. */
  readonly unrolled: number;
  /** Entries added by one transaction: some tenths of a second, or some seconds where nearly each of them is of another series. */
  readonly entriesAtOnce: number;
  /** End users, conversations and values of a tag, each, of an account in a day. */
  readonly namesPerDay: number;
}

const PACE: Pace = { unrolled: 20_000, entriesAtOnce: 20_000, namesPerDay: DEFAULT_NAMES_PER_DAY };
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

/** No row where another process has locked it, or too few entries are missing: then nothing is written. */
const LOCK_IF_DUE = `select as_of_id, last_id from usage_rolled, ledger_head where last_id - as_of_id > $1
  for update of usage_rolled skip locked`;

/**
 * Adds new entries to the rollups of usage, and to the index of their times. The watermark is a row that is locked meanwhile: any number of
 * processes may try, and one of them does it.
 */
export class UsageRollups {
  readonly #pool: PostgresPool;
  readonly #pace: Pace;
  /** Fewer after a failure: a statement may have exceeded its time limit. */
  #entriesAtOnce: number;
  #timer: Timer | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #overflows: AttributionOverflows = { user: 0, conversation: 0, tag: 0 };

  constructor(pool: PostgresPool, pace: Partial<Pace> = {}) {
    this.#pool = pool;
    this.#pace = { ...PACE, ...pace };
    this.#entriesAtOnce = this.#pace.entriesAtOnce;
  }

  /** The requests that this process has summed as `other`, or in no row of a tag. */
  get overflows(): AttributionOverflows {
    return this.#overflows;
  }

  /** Adds entries from now on, as they come. */
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

  /** Adds the next entries, if enough are missing and no other process does. Returns whether it has. */
  async roll(): Promise<boolean> {
    try {
      const hasRolled = await this.#pool.transaction((connection) => this.#roll(connection));
      this.#entriesAtOnce = Math.min(this.#pace.entriesAtOnce, this.#entriesAtOnce * 2);
      return hasRolled;
    } catch (error) {
      this.#entriesAtOnce = Math.ceil(this.#entriesAtOnce / 2);
      throw error;
    }
  }

  async #roll(connection: PostgresConnection): Promise<boolean> {
    const [due] = await connection.query<{ as_of_id: bigint; last_id: bigint }>(LOCK_IF_DUE, [this.#pace.unrolled]);
    if (!due) return false;
    const asOfId = Number(due.as_of_id);
    const toId = Math.min(Number(due.last_id), asOfId + this.#entriesAtOnce);
    // One after the other: each statement has its own time limit.
    for (const grain of GRANULARITIES) await connection.query(ADD_TO_SUMS, [asOfId, toId, grain, GRANULARITY_MS[grain]]);
    const overflows = await addAttributedUsage(connection, asOfId, toId, this.#pace.namesPerDay);
    await Promise.all([connection.query(ADD_BLOCK, [asOfId, toId]), connection.query("update usage_rolled set as_of_id = $1", [toId])]);
    const { user, conversation, tag } = this.#overflows;
    this.#overflows = { user: user + overflows.user, conversation: conversation + overflows.conversation, tag: tag + overflows.tag };
    return true;
  }

  async #rollAll(): Promise<void> {
    while (await this.roll()) if (!this.#timer) return;
  }
}
