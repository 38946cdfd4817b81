import { dateFormat } from "./locale.ts";

const days = dateFormat({ dateStyle: "medium", timeZone: "UTC" });

/** Formats a calendar date, independent of the time zone. */
export function calendarDay(date: string): string {
  return days.format(new Date(date));
}
