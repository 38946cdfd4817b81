import type { UseQueryResult } from "@tanstack/react-query";
import { spanOf, type Range } from "../../breakdown/range.ts";
import { LIVE, type UsageFilter } from "../../breakdown/use-usage.ts";
import type { Reply } from "../../platform/call.ts";
import { useApiQuery } from "../../platform/use-api.ts";

const TOP = 6;

/** The top entries by spend. */
export function useTop(by: "model" | "key" | "account", range: Range, filter: UsageFilter): UseQueryResult<Reply<"showUsage">> {
  return useApiQuery("showUsage", { query: { ...spanOf(range), ...filter, by, order: "cost", limit: TOP } }, LIVE);
}

/** The accounts with the lowest balances. */
export function useLowestBalances(enabled: boolean): UseQueryResult<Reply<"listAccounts">> {
  return useApiQuery("listAccounts", { query: { sort: "available", limit: TOP } }, { ...LIVE, enabled });
}

export function useAccount(id: string | undefined): UseQueryResult<Reply<"showAccount">> {
  return useApiQuery("showAccount", { path: { id: id ?? "" } }, { ...LIVE, enabled: id !== undefined });
}

/** Whether there has never been a request. Queried only if an unfiltered range is empty. */
export function useIsUnused(isEmptyRange: boolean): boolean {
  const from = new Date(Math.floor(Date.now() / 86_400_000 - 365) * 86_400_000).toISOString();
  const usage = useApiQuery("showUsage", { query: { by: "model", from, limit: 1 } }, { enabled: isEmptyRange });
  const requests = useApiQuery("listRequests", { query: { limit: 1 } }, { enabled: isEmptyRange });
  const total = usage.data?.total;
  return isEmptyRange && requests.data?.data.length === 0 && total !== undefined && total.requests + total.failed === 0;
}
