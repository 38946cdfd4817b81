import type { BillRow } from "../bill-row.ts";
import type { ZoneDays } from "../zone-days.ts";

/** The Claude Console's days are in UTC, as the column's name says. */
export function requireUtc(row: BillRow, { zone }: ZoneDays): void {
  if (zone !== "UTC") row.fail("usage_date_utc", `is in UTC, and cannot be read in the time zone ${zone}`);
}
