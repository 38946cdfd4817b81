import { breakdownKey, purseOf, type Breakdown } from "../../../money/breakdown.ts";
import { NO_NAME } from "../../../money/attribution.ts";
import { dayAt, monthAt, startOfPeriod } from "../../../money/period-sums.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { slicesOf, type IdRange } from "../records/ledger-rows.ts";
import { PostgresRows } from "../records/postgres-rows.ts";

/** Entries per statement, far below the number that reaches a statement's time limit. */
const RANGE = 100_000;

/** Locked until the end of the transaction, so that two processes do not add up the same breakdown. */
const LOCK_BREAKDOWN = "select pg_advisory_xact_lock(hashtextextended($1, 0))";
const IS_COUNTED = "select from counted_breakdowns where id = $1";
const LAST_ID_AND_NOW = "last_id, floor(extract(epoch from authority_now()) * 1000)::bigint as now_ms";
const HEAD = `select ${LAST_ID_AND_NOW} from ledger_head`;
/** Rows from an earlier period of counting: their sums lack charges. Locked in the order of their keys, as in every transaction. */
const LOCK_OLD = "select from purses where scope = $1 and starts_with(id, $2) order by scope, id for update";
const RESET_OLD = `update purses set day = $3, day_nanos = 0, month = $4, month_nanos = 0, previous_day = 0, previous_day_nanos = 0,
  previous_month = 0, previous_month_nanos = 0 where scope = $1 and starts_with(id, $2)`;
/** From here to the end of the transaction no entry is added. After it, no entry is added without the new version. */
const LOCK_HEAD = `update ledger_head set breakdowns_version = breakdowns_version + 1 where single = 1 returning ${LAST_ID_AND_NOW}`;
const ADD = "insert into counted_breakdowns (id) values ($1)";

interface Head {
  readonly last_id: bigint;
  readonly now_ms: bigint;
}

/** A day has ended while the breakdown was added up. */
class DayEnded extends Error {}

/**
 * Counts the charges of an account or a key by end user or tag from now on, in `purses`. First the spending in this day and month is added
 * up: from the existing entries without a lock, then from entries that were added meanwhile, with the head of the ledger locked. If
 * midnight passes during this, it starts over, because later entries belong to another day.
 */
export async function countBreakdown(pool: PostgresPool, breakdown: Breakdown): Promise<void> {
  try {
    await addUpAndCount(pool, breakdown);
  } catch (error) {
    if (!(error instanceof DayEnded)) throw error;
    await countBreakdown(pool, breakdown);
  }
}

async function addUpAndCount(pool: PostgresPool, breakdown: Breakdown): Promise<void> {
  const key = breakdownKey(breakdown);
  await pool.transaction(async (connection) => {
    await connection.query(LOCK_BREAKDOWN, [key]);
    if ((await connection.query(IS_COUNTED, [key])).length > 0) return;
    const [head] = await connection.query<Head>(HEAD);
    const untilId = Number(head!.last_id);
    const sums = new BreakdownSums(connection, breakdown, Number(head!.now_ms));
    await sums.reset();
    const ranges = await new PostgresRows(connection).idRanges(sums.fromMs, sums.toMs);
    for (const { firstId, lastId } of slicesOf(ranges, RANGE)) {
      if (firstId <= untilId) await sums.add({ firstId, lastId: Math.min(lastId, untilId) });
    }
    const [locked] = await connection.query<Head>(LOCK_HEAD);
    if (dayAt(Number(locked!.now_ms)) !== dayAt(Number(head!.now_ms))) throw new DayEnded();
    await sums.add({ firstId: untilId + 1, lastId: Number(locked!.last_id) });
    await connection.query(ADD, [key]);
  });
}

/** Stops counting the breakdown: the list without it has another version. */
export async function uncountBreakdown(pool: PostgresPool, breakdown: Breakdown): Promise<void> {
  const text = `with gone as (delete from counted_breakdowns where id = $1 returning id)
    update ledger_head set breakdowns_version = breakdowns_version + 1 from gone where single = 1`;
  await pool.query(text, [breakdownKey(breakdown)]);
}

class BreakdownSums {
  readonly #connection: PostgresConnection;
  readonly #breakdown: Breakdown;
  readonly #scope: string;
  /** The prefix of the ids of its purses. */
  readonly #prefix: string;
  readonly #day: number;
  readonly #month: number;

  constructor(connection: PostgresConnection, breakdown: Breakdown, nowMs: number) {
    const { scope, id } = purseOf(breakdown, undefined);
    this.#connection = connection;
    this.#breakdown = breakdown;
    this.#scope = scope;
    this.#prefix = id.slice(0, -NO_NAME.length);
    this.#day = dayAt(nowMs);
    this.#month = monthAt(nowMs);
  }

  get fromMs(): number {
    return startOfPeriod("month", this.#month);
  }

  get toMs(): number {
    return startOfPeriod("month", this.#month + 1);
  }

  async reset(): Promise<void> {
    await this.#connection.query(LOCK_OLD, [this.#scope, this.#prefix]);
    await this.#connection.query(RESET_OLD, [this.#scope, this.#prefix, this.#day, this.#month]);
  }

  async add({ firstId, lastId }: IdRange): Promise<void> {
    const { owner, ownerId, by } = this.#breakdown;
    const named = by === "user" ? "attribution::json ->> $1" : "attribution::json -> 'tags' ->> $1";
    const text = `insert into purses (scope, id, day, day_nanos, month, month_nanos)
      select $2, $3 || name, $4, coalesce(sum(amount_nanos) filter (where at_ms >= $5::bigint and at_ms < $6::bigint), 0)::bigint,
        $7, sum(amount_nanos)::bigint
      from (select coalesce(${named}, '${NO_NAME}') as name, at_ms, amount_nanos from entries where id between $8::bigint and $9::bigint
        and kind = 'settle' and ${owner}_id = $10 and at_ms >= $11::bigint and at_ms < $12::bigint) charges
      group by name order by 2
      on conflict (scope, id) do update set day = excluded.day, day_nanos = purses.day_nanos + excluded.day_nanos,
        month = excluded.month, month_nanos = purses.month_nanos + excluded.month_nanos`;
    const day = [startOfPeriod("day", this.#day), startOfPeriod("day", this.#day + 1)];
    const name = by === "user" ? "user" : by.slice("tag:".length);
    await this.#connection.query(text, [
      name,
      this.#scope,
      this.#prefix,
      this.#day,
      ...day,
      this.#month,
      firstId,
      lastId,
      ownerId,
      this.fromMs,
      this.toMs,
    ]);
  }
}
