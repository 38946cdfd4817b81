import type { UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";
import { ApiError, type Reply } from "../platform/call.ts";
import { useApiQuery } from "../platform/use-api.ts";
import { spanOf, type Range } from "./range.ts";

const LIVE_MS = 30_000;
const RETRY_MS = 3000;

/** A temporary error: usage totals are still being built (503), or too many reports run at once (429). */
export function isTemporary(error: Error | null): error is ApiError {
  return error instanceof ApiError && (error.status === 503 || error.status === 429);
}

/** The error to show in each card. A temporary error has one notice on the page, and the cards keep loading. */
export function permanentError(error: Error | null): Error | null {
  return isTemporary(error) ? null : error;
}

export const LIVE = { every: (error: Error | null) => (isTemporary(error) ? RETRY_MS : LIVE_MS), keepsPrevious: true };

/** The usage of an account, a key or a model. */
export interface UsageFilter {
  readonly key?: string;
  readonly account?: string;
  readonly model?: string;
}

/** A query and the range of its data, which is the previous range while the new one loads. */
export interface OfRange<T> {
  readonly query: UseQueryResult<T>;
  readonly range: Range;
}

export function useOfRange<T>(query: UseQueryResult<T>, range: Range): OfRange<T> {
  const latest = useRef(range);
  // Returns a stable object for the same range, so that memoized values stay valid.
  if (!query.isPlaceholderData && !isSame(latest.current, range)) latest.current = range;
  return { query, range: latest.current };
}

function isSame(one: Range, other: Range): boolean {
  return one.fromMs === other.fromMs && one.toMs === other.toMs && one.unit === other.unit && one.zone === other.zone;
}

export function useUsage(range: Range, filter: UsageFilter): OfRange<Reply<"showUsage">> {
  const query = { ...spanOf(range), ...filter, by: range.unit, limit: 1000 };
  return useOfRange(useApiQuery("showUsage", { query }, LIVE), range);
}

/** The request log has totals by account and model, but not by key. */
export function useStatistics(range: Range, filter: Omit<UsageFilter, "key">): OfRange<Reply<"showStatistics">> {
  return useOfRange(useApiQuery("showStatistics", { query: { ...spanOf(range), ...filter, by: range.unit } }, LIVE), range);
}

/** The request log is off: only the ledger has data. */
export function isLogOff(statistics: Reply<"showStatistics"> | undefined, usage: Reply<"showUsage"> | undefined): boolean {
  return statistics?.retained_from === null && (usage?.total.requests ?? 0) > 0;
}
