import type { BillRow } from "../bill-row.ts";
import type { ZoneDays } from "../zone-days.ts";

/** The columns that say when a record of OpenAI's exports is from. */
export const BUCKET_COLUMNS = ["start_time", "end_time", "start_time_iso", "end_time_iso"] as const;

/** The day that a bucket of OpenAI's is in. It may be an hour; one of a day of UTC is in no one day of another calendar. */
export function bucketDay(row: BillRow, days: ZoneDays): string {
  const startMs = row.moment("start_time");
  const endMs = row.moment("end_time");
  if (endMs <= startMs) row.fail("end_time", "must be after start_time");
  const day = days.dayOf(startMs);
  if (days.dayOf(endMs - 1) !== day) row.fail("start_time", `the record is of more than one day of the calendar in ${days.zone}`);
  return day;
}
