/** The day of a moment as a field for dates has it, in the zone of whoever looks. */
export function dayOf(time: string | undefined): string {
  const at = new Date(time ?? "");
  if (Number.isNaN(at.getTime())) return "";
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** The moment at which such a day begins; nothing where there is none. */
export function startOfDay(day: string): string {
  const at = new Date(`${day}T00:00`);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}
