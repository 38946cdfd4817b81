import { addDays, dayOf } from "../log-day.ts";
import { timeInUuid } from "../request-rows.ts";

/** A request takes hours at most, and so does its mirror. Includes one day of slack for a wall clock that was wrong. */
const LATEST_DAYS = 2;

/** The days that may have the results of these requests. */
export function mirrorDays(uuids: readonly string[], all: readonly string[]): string[] {
  if (uuids.length === 0) return [];
  const times = uuids.map(timeInUuid);
  return daysBetween(dayOf(Math.min(...times)), dayOf(Math.max(...times)), all);
}

/** A part of the results of a day, by the UUIDs of their requests, from `from` to before `to`. */
export interface ResultSpan {
  readonly day: string;
  readonly from: string;
  readonly to: string;
}

/**
 * The results, for requests of a day, that are stored in other days. They are few, such as results of mirrors that ended after midnight.
 */
export function resultsElsewhere(day: string, all: readonly string[]): ResultSpan[] {
  const [start, end] = [firstUuidOf(day), firstUuidOf(addDays(day, 1))];
  return daysBetween(day, day, all).flatMap((other) => {
    if (other === day) return [];
    return other > day ? { day: other, from: firstUuid(0), to: end } : { day: other, from: start, to: end };
  });
}

function daysBetween(first: string, last: string, all: readonly string[]): string[] {
  const [from, to] = [addDays(first, -1), addDays(last, LATEST_DAYS)];
  return all.filter((day) => day >= from && day <= to);
}

function firstUuidOf(day: string): string {
  return firstUuid(Date.parse(`${day}T00:00:00Z`));
}

/** A lower bound of the UUIDs of version 7 in a millisecond. */
function firstUuid(ms: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
