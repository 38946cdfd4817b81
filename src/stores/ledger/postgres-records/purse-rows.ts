import type { Nanos } from "../../../money/money.ts";
import { PeriodSums } from "../../../money/period-sums.ts";
import type { PurseScope } from "../../../money/purse.ts";
import { Tally, type Spender } from "../../../money/tally.ts";
import type { CountedSpending } from "../ledger-record-store.ts";
import type { PostgresConnection, Rows } from "../../postgres/postgres-pool.ts";

/** A row of `purses`, without its leases. The days and months are the two latest ones with a charge. */
export interface PurseRow {
  readonly scope: Spender;
  readonly id: string;
  readonly credit_nanos: bigint;
  readonly day: number;
  readonly day_nanos: bigint;
  readonly month: number;
  readonly month_nanos: bigint;
  readonly total_nanos: bigint;
  readonly previous_day: number;
  readonly previous_day_nanos: bigint;
  readonly previous_month: number;
  readonly previous_month_nanos: bigint;
}

export const PURSE_COLUMNS = `scope, id, credit_nanos, day, day_nanos, month, month_nanos, total_nanos, previous_day, previous_day_nanos,
  previous_month, previous_month_nanos`;

/** The sums of a purse, without the holds of requests in flight. */
export function toTally(row: PurseRow): Tally {
  const days = periodsOf(row.previous_day, row.previous_day_nanos, row.day, row.day_nanos);
  const months = periodsOf(row.previous_month, row.previous_month_nanos, row.month, row.month_nanos);
  return Object.assign(new Tally(row.scope, row.id, days, months), { creditNanos: row.credit_nanos, totalNanos: row.total_nanos });
}

function periodsOf(previous: number, previousNanos: Nanos, latest: number, latestNanos: Nanos): PeriodSums {
  if (latest <= previous) return new PeriodSums(latest, latestNanos);
  const sums = new PeriodSums(previous, previousNanos);
  sums.add(latest, latestNanos);
  return sums;
}

export function readPurses(connection: PostgresConnection): Promise<Rows<PurseRow>> {
  return connection.query(`select ${PURSE_COLUMNS} from purses where scope in ('account', 'key')`);
}

/** The spending of the end users and tags that are counted. */
export async function readCounted(connection: PostgresConnection): Promise<readonly CountedSpending[]> {
  interface Row extends Pick<PurseRow, "id" | "day" | "day_nanos" | "month" | "month_nanos"> {
    readonly scope: PurseScope;
  }
  const rows = await connection.query<Row>(
    `select scope, id, day, day_nanos, month, month_nanos from purses p where scope in ('user', 'tag')
      and exists (select from counted_breakdowns b where starts_with(p.scope || ':' || p.id, b.id))`,
  );
  return rows.map(({ scope, id, day, day_nanos: dayNanos, month, month_nanos: monthNanos }) => {
    return { purse: { scope, id }, day, dayNanos, month, monthNanos };
  });
}

/** The purses with a charge or credit in a range of entries. */
export function readPursesChangedIn(connection: PostgresConnection, firstId: number, lastId: number): Promise<Rows<PurseRow>> {
  return connection.query(
    `with changed as (
      select distinct spender.scope, spender.id from entries, lateral (values ('account', account_id), ('key', key_id)) as spender(scope, id)
      where entries.id between $1 and $2 and kind <> 'hold' and spender.id is not null)
    select ${PURSE_COLUMNS} from purses join changed using (scope, id)`,
    [firstId, lastId],
  );
}

/** The amounts that open holds reserve, for each account and each key. */
export type HeldAmounts = Readonly<Record<Spender, ReadonlyMap<string, Nanos>>>;

export async function readHeldAmounts(connection: PostgresConnection): Promise<HeldAmounts> {
  const rows = await connection.query<{ scope: Spender; id: string; held: string }>(
    `select spender.scope, spender.id, sum(amount_nanos)::text as held
    from open_holds, lateral (values ('account', account_id), ('key', key_id)) as spender(scope, id) group by 1, 2`,
  );
  const held = { account: new Map<string, Nanos>(), key: new Map<string, Nanos>() };
  for (const row of rows) held[row.scope].set(row.id, BigInt(row.held));
  return held;
}
