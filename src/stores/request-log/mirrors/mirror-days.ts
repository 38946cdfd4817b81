import { addDays, dayOf } from "../days/log-folder.ts";
import { timeInUuid } from "../days/request-table.ts";

/** Requests take hours at most, and so does a mirror: with a day of slack for a wall clock that was wrong. */
const LATEST_DAYS = 2;

/** The days that may have the results of these requests. */
export function mirrorDays(uuids: readonly string[], all: readonly string[]): string[] {
  if (uuids.length === 0) return [];
  const times = uuids.map(timeInUuid);
  const first = addDays(dayOf(Math.min(...times)), -1);
  const last = addDays(dayOf(Math.max(...times)), LATEST_DAYS);
  return all.filter((day) => day >= first && day <= last);
}
