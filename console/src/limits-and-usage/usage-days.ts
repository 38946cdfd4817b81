import type { UsageRow } from "../../../platform-client/types.ts";

export interface UsageDay {
  /** Such as 2027-01-31. */
  readonly day: string;
  readonly requests: number;
  readonly tokens: number;
  readonly cost: string;
  /** The day is not over, or only partly in the range. */
  readonly isPartial: boolean;
}

/** One entry per day, from the first to the last: the platform omits days without usage. */
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

/** Iterates in UTC, where every day has 24 hours. */
function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += 86_400_000) days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

/** The calendar day of a time in a time zone. */
export function dayIn(zone: string, time: string): string {
  return new Date(time).toLocaleDateString("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
}
