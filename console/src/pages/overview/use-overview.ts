import type { UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";
import { Refusal, type Reply } from "../../platform/call.ts";
import { useLook } from "../../platform/use-platform.ts";
import { spanOf, type Range } from "./range.ts";

const LIVE_MS = 30_000;
const SOON_MS = 3000;
const TOP = 6;

/** While an old ledger is added up, or reports are too many, it is worth asking again soon. */
export function isForNow(trouble: Error | null): trouble is Refusal {
  return trouble instanceof Refusal && (trouble.status === 503 || trouble.status === 429);
}

/** What is worth telling in each place. What passes by itself is told once, and the places wait for it. */
export function lasting(trouble: Error | null): Error | null {
  return isForNow(trouble) ? null : trouble;
}

const LIVE = { every: (trouble: Error | null) => (isForNow(trouble) ? SOON_MS : LIVE_MS), keepsPrevious: true };

export interface OverviewFilter {
  readonly account?: string;
  readonly model?: string;
}

/** What was fetched, and the range that it is of, which may be the one before. */
export interface OfRange<T> {
  readonly query: UseQueryResult<T>;
  readonly range: Range;
}

function useOfRange<T>(query: UseQueryResult<T>, range: Range): OfRange<T> {
  const latest = useRef(range);
  // The same object for the same range, so that what depends on it stays too.
  if (!query.isPlaceholderData && !isSame(latest.current, range)) latest.current = range;
  return { query, range: latest.current };
}

function isSame(one: Range, other: Range): boolean {
  return one.fromMs === other.fromMs && one.toMs === other.toMs && one.unit === other.unit && one.zone === other.zone;
}

export function useUsage(range: Range, filter: OverviewFilter): OfRange<Reply<"showUsage">> {
  const query = { ...spanOf(range), ...filter, by: range.unit, limit: 1000 };
  return useOfRange(useLook("showUsage", { query }, LIVE), range);
}

export function useStatistics(range: Range, filter: OverviewFilter): OfRange<Reply<"showStatistics">> {
  return useOfRange(useLook("showStatistics", { query: { ...spanOf(range), ...filter, by: range.unit } }, LIVE), range);
}

/** Nothing is kept of requests but what they cost. */
export function isLogOff(statistics: Reply<"showStatistics"> | undefined, usage: Reply<"showUsage"> | undefined): boolean {
  return statistics?.kept_from === null && (usage?.total.requests ?? 0) > 0;
}

/** What cost most. */
export function useTop(by: "model" | "key" | "account", range: Range, filter: OverviewFilter): UseQueryResult<Reply<"showUsage">> {
  return useLook("showUsage", { query: { ...spanOf(range), ...filter, by, order: "cost", limit: TOP } }, LIVE);
}

/** Whose credit runs out first. */
export function useLeastCredit(isWanted: boolean): UseQueryResult<Reply<"listAccounts">> {
  return useLook("listAccounts", { query: { order: "available", limit: TOP } }, { ...LIVE, enabled: isWanted });
}

export function useAccount(id: string | undefined): UseQueryResult<Reply<"showAccount">> {
  return useLook("showAccount", { path: { id: id ?? "" } }, { ...LIVE, enabled: id !== undefined });
}

/** Whether nobody has ever asked for anything. It is asked only where a range without filters has nothing. */
export function useIsUnused(isNothing: boolean): boolean {
  const from = new Date(Math.floor(Date.now() / 86_400_000 - 365) * 86_400_000).toISOString();
  const usage = useLook("showUsage", { query: { by: "model", from, limit: 1 } }, { enabled: isNothing });
  const requests = useLook("listRequests", { query: { limit: 1 } }, { enabled: isNothing });
  const total = usage.data?.total;
  return isNothing && requests.data?.data.length === 0 && total !== undefined && total.requests + total.failed === 0;
}
