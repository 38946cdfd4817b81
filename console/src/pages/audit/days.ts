/** The value of a date input for a time, in the browser's time zone. */
export function dayOf(time: string | undefined): string {
  const at = new Date(time ?? "");
  if (Number.isNaN(at.getTime())) return "";
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** The time at which a day starts; empty for an invalid day. */
export function startOfDay(day: string): string {
  const at = new Date(`${day}T00:00`);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}
