/** The day of a moment as a field for dates has it, in the zone of whoever looks. */
export function dayOf(time: string | undefined): string {
  const at = new Date(time ?? "");
  if (Number.isNaN(at.getTime())) return "";
  const part = (value: number): string => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${part(at.getMonth() + 1)}-${part(at.getDate())}`;
}

/** The moment at which such a day begins; nothing where there is none. */
export function startOfDay(day: string): string {
  const at = new Date(`${day}T00:00`);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}
