import type { UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";
import { ApiError, type Reply } from "../../platform/call.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { spanOf, type Range } from "./range.ts";

const LIVE_MS = 30_000;
const RETRY_MS = 3000;
const TOP = 6;

/** A temporary error: usage totals are still being built (503), or too many reports run at once (429). */
export function isTemporary(error: Error | null): error is ApiError {
  return error instanceof ApiError && (error.status === 503 || error.status === 429);
}

/** The error to show in each card. A temporary error has one notice on the page, and the cards keep loading. */
export function permanentError(error: Error | null): Error | null {
  return isTemporary(error) ? null : error;
}

const LIVE = { every: (error: Error | null) => (isTemporary(error) ? RETRY_MS : LIVE_MS), keepsPrevious: true };

export interface OverviewFilter {
  readonly account?: string;
  readonly model?: string;
}

/** A query and the range of its data, which is the previous range while the new one loads. */
export interface OfRange<T> {
  readonly query: UseQueryResult<T>;
  readonly range: Range;
}

function useOfRange<T>(query: UseQueryResult<T>, range: Range): OfRange<T> {
  const latest = useRef(range);
  // A stable object for the same range, so that memoized values are kept.
  if (!query.isPlaceholderData && !isSame(latest.current, range)) latest.current = range;
  return { query, range: latest.current };
}

function isSame(one: Range, other: Range): boolean {
  return one.fromMs === other.fromMs && one.toMs === other.toMs && one.unit === other.unit && one.zone === other.zone;
}

export function useUsage(range: Range, filter: OverviewFilter): OfRange<Reply<"showUsage">> {
  const query = { ...spanOf(range), ...filter, by: range.unit, limit: 1000 };
  return useOfRange(useApiQuery("showUsage", { query }, LIVE), range);
}

export function useStatistics(range: Range, filter: OverviewFilter): OfRange<Reply<"showStatistics">> {
  return useOfRange(useApiQuery("showStatistics", { query: { ...spanOf(range), ...filter, by: range.unit } }, LIVE), range);
}

/** The request log is off: only the ledger has data. */
export function isLogOff(statistics: Reply<"showStatistics"> | undefined, usage: Reply<"showUsage"> | undefined): boolean {
  return statistics?.retained_from === null && (usage?.total.requests ?? 0) > 0;
}

/** The top entries by spend. */
export function useTop(by: "model" | "key" | "account", range: Range, filter: OverviewFilter): UseQueryResult<Reply<"showUsage">> {
  return useApiQuery("showUsage", { query: { ...spanOf(range), ...filter, by, order: "cost", limit: TOP } }, LIVE);
}

/** The accounts with the lowest balances. */
export function useLowestBalances(enabled: boolean): UseQueryResult<Reply<"listAccounts">> {
  return useApiQuery("listAccounts", { query: { sort: "available", limit: TOP } }, { ...LIVE, enabled });
}

export function useAccount(id: string | undefined): UseQueryResult<Reply<"showAccount">> {
  return useApiQuery("showAccount", { path: { id: id ?? "" } }, { ...LIVE, enabled: id !== undefined });
}

/** Whether there was never a request. Queried only where an unfiltered range is empty. */
export function useIsUnused(isEmptyRange: boolean): boolean {
  const from = new Date(Math.floor(Date.now() / 86_400_000 - 365) * 86_400_000).toISOString();
  const usage = useApiQuery("showUsage", { query: { by: "model", from, limit: 1 } }, { enabled: isEmptyRange });
  const requests = useApiQuery("listRequests", { query: { limit: 1 } }, { enabled: isEmptyRange });
  const total = usage.data?.total;
  return isEmptyRange && requests.data?.data.length === 0 && total !== undefined && total.requests + total.failed === 0;
}
