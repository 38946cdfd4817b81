import { ApiError } from "../../../requests/api-error.ts";
import { isImpossibleDate, parseIsoDate } from "../../../lib/time/iso-date.ts";
import type { Schema } from "../../../lib/schema/schema.ts";

/** A timestamp in a reply. */
export const timeSchema = { type: "string", description: "A timestamp, such as 2027-01-31T12:00:00.000Z." } as const satisfies Schema;

export function viewTime(ms: number): string;
export function viewTime(ms: number | null): string | null;
export function viewTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** A timestamp in a request: a date, or a date and a time. */
export function readTime(text: string, param: string): number {
  const ms = parseIsoDate(text);
  if (ms !== undefined) return ms;
  if (isImpossibleDate(text)) throw new ApiError("invalid_value", `${param} is ${text}, which does not exist in the calendar.`, { param });
  throw new ApiError("invalid_value", `${param} must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z.`, { param });
}

export function readFutureTime(text: string, param: string, nowMs: number): number {
  const ms = readTime(text, param);
  if (ms > nowMs) return ms;
  throw new ApiError("invalid_value", `${param} must be in the future.`, { param });
}
