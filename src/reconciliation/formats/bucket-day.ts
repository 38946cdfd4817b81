import type { BillRow } from "../bill-row.ts";
import type { ZoneDays } from "../zone-days.ts";

/** The time columns of OpenAI's exports. */
export const BUCKET_COLUMNS = ["start_time", "end_time", "start_time_iso", "end_time_iso"] as const;

/**
 * The day of a bucket in OpenAI's exports. A bucket may be an hour. A bucket of a UTC day belongs to no single day of another time zone.
 */
export function bucketDay(row: BillRow, days: ZoneDays): string {
  const startMs = row.moment("start_time");
  const endMs = row.moment("end_time");
  if (endMs <= startMs) row.fail("end_time", "must be after start_time");
  const day = days.dayOf(startMs);
  if (days.dayOf(endMs - 1) !== day) row.fail("start_time", `the record covers more than one day in the time zone ${days.zone}`);
  return day;
}
