import { readRange, type Range } from "./range.ts";
import { useMinute } from "./use-minute.ts";

/** The last 30 calendar days of the browser's time zone, including today. */
export function useLast30Days(): Range {
  return readRange({ range: "30d" }, useMinute(), Intl.DateTimeFormat().resolvedOptions().timeZone);
}
