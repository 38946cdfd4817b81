/** Formats a calendar date, independent of the time zone. */
export function calendarDay(date: string): string {
  return new Date(date).toLocaleDateString("en-GB", { dateStyle: "medium", timeZone: "UTC" });
}
