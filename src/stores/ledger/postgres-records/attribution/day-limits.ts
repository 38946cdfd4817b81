import type { PostgresConnection } from "../../../postgres/postgres-pool.ts";

const STORE = `insert into attribution_days (day, names) select day, $2 from unnest($1::integer[]) as day on conflict (day) do nothing`;

/** The limit of names of each of these UTC days: the setting at the day's first usage, or the current setting if there was none. */
export async function readDayLimits(
  connection: PostgresConnection,
  days: readonly number[],
  namesPerDay: number,
): Promise<(day: number) => number> {
  const sql = "select day, names from attribution_days where day = any($1::integer[])";
  const limits = await connection.query<{ day: number; names: number }>(sql, [days]);
  const byDay = new Map(limits.map(({ day, names }) => [day, names]));
  return (day) => byDay.get(day) ?? namesPerDay;
}

/** Stores the limit of days that have none yet, so that all processes use the same limit, whatever their settings. */
export async function storeDayLimits(connection: PostgresConnection, days: readonly number[], namesPerDay: number): Promise<void> {
  await connection.query(STORE, [days, namesPerDay]);
}
