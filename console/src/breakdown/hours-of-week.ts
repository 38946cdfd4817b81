import type { UsageRow } from "../../../platform-client/types.ts";

export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
export const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The values of a report by hour of the week, by weekday and hour; zero if the report has no row. */
export function hoursOfWeek(rows: readonly UsageRow[], measure: "requests" | "cost"): number[][] {
  const values = WEEKDAYS.map(() => HOURS.map(() => 0));
  for (const row of rows) {
    values[row.weekday! - 1]![row.hour_of_day!] = measure === "cost" ? Number(row.cost) : row.requests + row.failed;
  }
  return values;
}
