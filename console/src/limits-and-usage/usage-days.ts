import type { UsageRow } from "../platform/interface.ts";

export interface UsageDay {
  /** Such as 2027-01-31. */
  readonly day: string;
  readonly requests: number;
  readonly tokens: number;
  readonly cost: string;
  /** The day is not over, or not all of it was looked at. */
  readonly isPartial: boolean;
}

/** A day for each day from the first to the last: the platform leaves out those without use. */
export function usageDays(rows: readonly UsageRow[], first: string, last: string): readonly UsageDay[] {
  const known = new Map(rows.map((row) => [row.day, row]));
  return daysBetween(first, last).map((day) => {
    const row = known.get(day);
    return {
      day,
      requests: row?.requests ?? 0,
      tokens: (row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0),
      cost: row?.cost ?? "0",
      isPartial: row?.is_partial ?? false,
    };
  });
}

/** Days of the calendar, which have no hours: those of UTC all have the same length. */
function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += 86_400_000) days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

/** The day of a moment in a zone. */
export function dayIn(zone: string, time: string): string {
  return new Date(time).toLocaleDateString("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
}
