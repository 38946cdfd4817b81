/** A day of the calendar, which is the same day in every zone. */
export function calendarDay(date: string): string {
  return new Date(date).toLocaleDateString("en-GB", { dateStyle: "medium", timeZone: "UTC" });
}
