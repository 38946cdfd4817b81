import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { useMe } from "../../shell/me.ts";
import { SavedViews } from "../../shell/saved-views.tsx";
import { BreakdownChart } from "../../breakdown/breakdown-chart.tsx";
import { DIMENSIONS, type DimensionId } from "../../breakdown/breakdown.ts";
import { HeatMap } from "../../breakdown/heat-map.tsx";
import { FirstTokenChart, LatencyChart, RequestsChart, TokensChart } from "../../breakdown/charts.tsx";
import { FirstVisit } from "./first-visit.tsx";
import { OutOfCredit, UsageBuilding } from "./notices.tsx";
import { RangeBar } from "./range-bar.tsx";
import { describeRange, readRange, type Range } from "../../breakdown/range.ts";
import { StatCards } from "./stat-cards.tsx";
import { TopErrors } from "./top-errors.tsx";
import { TopLists } from "./top-lists.tsx";
import { useMinute } from "../../breakdown/use-minute.ts";
import { isLogOff, permanentError, useStatistics, useUsage, type UsageFilter } from "../../breakdown/use-usage.ts";
import { useAccount, useIsUnused, useLowestBalances } from "./use-overview.ts";

const route = getRouteApi("/signed-in/");

export function OverviewPage(): ReactNode {
  const search = route.useSearch();
  const nowMs = useMinute();
  const range = readRange(search, nowMs, Intl.DateTimeFormat().resolvedOptions().timeZone);
  const filter = { ...(search.account && { account: search.account }), ...(search.model && { model: search.model }) };
  return (
    <Page title="Overview" docs="console#overview" about={describeRange(range, nowMs)} actions={<SavedViews />}>
      <RangeBar search={search} range={range} />
      {range.problem && <Notice tone="warn">{range.problem}</Notice>}
      <Figures range={range} nowMs={nowMs} filter={filter} />
    </Page>
  );
}

interface FiguresProps {
  readonly range: Range;
  readonly nowMs: number;
  readonly filter: Omit<UsageFilter, "key">;
}

function Figures({ range, nowMs, filter }: FiguresProps): ReactNode {
  const me = useMe();
  const usage = useUsage(range, filter);
  const statistics = useStatistics(range, filter);
  const accountId = me.account ?? filter.account;
  const account = useAccount(accountId);
  const accounts = useLowestBalances(accountId === undefined);
  const isFiltered = filter.account !== undefined || filter.model !== undefined;
  const isUnused = useIsUnused(!isFiltered && hasNoUsage(usage.query.data, statistics.query.data));
  const isOff = isLogOff(statistics.query.data, usage.query.data);
  const charts = { usage, statistics };
  return (
    <>
      {me.account !== null && account.data && <OutOfCredit account={account.data} />}
      <UsageBuilding error={usage.query.data ? null : usage.query.failureReason} />
      <StatCards
        account={account.data ?? accounts.data?.data[0]}
        isAccountMissing={permanentError(account.error ?? accounts.error) !== null}
        isLowest={accountId === undefined}
        usage={usage.query.data}
        statistics={isOff ? undefined : statistics.query.data}
        isUsageMissing={permanentError(usage.query.error) !== null}
        isStatisticsMissing={permanentError(statistics.query.error) !== null || isOff}
      />
      {isUnused ? (
        <FirstVisit />
      ) : (
        <>
          <div className="grid gap-3 lg:grid-cols-2">
            <div className="min-w-0 lg:col-span-2">
              <BreakdownChart range={range} nowMs={nowMs} filter={filter} dimensions={dimensionsOf(filter)} isOperator={me.isOperator} />
            </div>
            <RequestsChart {...charts} filter={filter} />
            <LatencyChart {...charts} />
            <FirstTokenChart {...charts} />
            <TokensChart {...charts} />
            <TopErrors of={statistics} filter={filter} isLogOff={isOff} />
            <HeatMap range={range} nowMs={nowMs} filter={filter} />
          </div>
          <TopLists range={range} filter={filter} accounts={accounts} />
        </>
      )}
    </>
  );
}

/** Not by what the page is filtered by. */
function dimensionsOf(filter: UsageFilter): readonly DimensionId[] {
  return DIMENSIONS.map(({ id }) => id).filter((id) => !(id in filter));
}

function hasNoUsage(
  usage: { readonly total: { readonly requests: number; readonly failed: number } } | undefined,
  statistics: { readonly total: { readonly requests: number } } | undefined,
): boolean {
  return usage?.total.requests === 0 && usage.total.failed === 0 && statistics?.total.requests === 0;
}
