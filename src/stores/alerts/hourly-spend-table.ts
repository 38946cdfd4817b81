import type { DaySpending, HourlySpend } from "./hourly-spend-store.ts";

/** A row of `key_hours`. Amounts are text, because they may exceed the exact range of a JavaScript number. `days` is a JSON array. */
export interface HourlySpendTable {
  key_id: string;
  hour: number;
  nanos: string;
  total_nanos: string;
  days: string;
}

export function toRow(keyId: string, { hour, nanos, totalNanos, days }: HourlySpend): HourlySpendTable {
  return { key_id: keyId, hour, nanos: String(nanos), total_nanos: String(totalNanos), days: writeDays(days) };
}

export function fromRow({ hour, nanos, total_nanos: totalNanos, days }: HourlySpendTable): HourlySpend {
  return { hour, nanos: BigInt(nanos), totalNanos: BigInt(totalNanos), days: readDays(days) };
}

function writeDays(days: readonly DaySpending[]): string {
  return JSON.stringify(days.map(({ day, nanos, hours }) => [day, String(nanos), hours]));
}

function readDays(text: string): DaySpending[] {
  return (JSON.parse(text) as [number, string, number][]).map(([day, nanos, hours]) => ({ day, nanos: BigInt(nanos), hours }));
}
