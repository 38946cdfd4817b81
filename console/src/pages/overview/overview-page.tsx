import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { useMe } from "../../shell/me.ts";
import { SavedViews } from "../../shell/saved-views.tsx";
import { BreakdownChart } from "../../breakdown/breakdown-chart.tsx";
import { DIMENSIONS, type DimensionId } from "../../breakdown/breakdown.ts";
import { HeatMap } from "../../breakdown/heat-map.tsx";
import { FirstTokenChart, LatencyChart, RequestsChart, TokensChart } from "../../breakdown/charts.tsx";
import { describeRange, readRange, type Range, spanOf } from "../../breakdown/range.ts";
import { StatCards } from "./stat-cards.tsx";
import { TopLists } from "./top-lists.tsx";
import { useMinute } from "../../breakdown/use-minute.ts";
import {
  isLogOff,
  permanentError,
  useStatistics,
  useUsage,
  type UsageFilter,
  isTemporary,
  type OfRange,
} from "../../breakdown/use-usage.ts";
import { useAccount, useIsUnused, useLowestBalances } from "./use-overview.ts";
import type { Account, RequestStatistics } from "../../../../platform-client/types.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Empty } from "../../parts/states.tsx";
import { count, percent } from "../../parts/format/format.ts";
import { rowLink } from "../../parts/table.tsx";
import { TopList, type TopRow } from "./top-list.tsx";
import { Picker } from "../../parts/inputs/picker.tsx";
import { AccountPicker, ModelPicker } from "../../parts/inputs/resource-pickers.tsx";
import { RangeChoices } from "../../breakdown/range-choices.tsx";
import type { UsageSearch } from "../../breakdown/use-search.ts";

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

/** The dimensions of the charts, without the dimensions that the page is filtered by. */
function dimensionsOf(filter: UsageFilter): readonly DimensionId[] {
  return DIMENSIONS.map(({ id }) => id).filter((id) => !(id in filter));
}

function hasNoUsage(
  usage: { readonly total: { readonly requests: number; readonly failed: number } } | undefined,
  statistics: { readonly total: { readonly requests: number } } | undefined,
): boolean {
  return usage?.total.requests === 0 && usage.total.failed === 0 && statistics?.total.requests === 0;
}

export function OutOfCredit({ account }: { readonly account: Account }): ReactNode {
  if (account.available === null || Number(account.available) > 0) return null;
  return (
    <Notice tone="warn" title="Your account is out of credit">
      Billable requests are rejected with 402 until an operator grants more credit. Past usage stays visible here.
    </Notice>
  );
}

/** After a large ledger was moved, its usage totals are built once in the background. This takes some minutes. */
export function UsageBuilding({ error }: { readonly error: Error | null }): ReactNode {
  if (!isTemporary(error)) return null;
  return <Notice title="Spend and tokens are not available yet">{error.message} This page refreshes automatically.</Notice>;
}

/** The empty state before the first request. */
export function FirstVisit(): ReactNode {
  const { isOperator } = useMe();
  return (
    <div className="card">
      <Empty
        title="No requests yet"
        action={
          <>
            <Link to={isOperator ? "/start" : "/keys"} className={buttonClass("primary")}>
              {isOperator ? "Get started" : "Create key"}
            </Link>
            <Link to="/playground" className={buttonClass()}>
              Open playground
            </Link>
          </>
        }
      >
        Spend, errors and latency appear here after the first request with a key.
      </Empty>
    </div>
  );
}

const SHOWN = 6;

interface TopErrorsProps {
  readonly of: OfRange<RequestStatistics>;
  readonly filter: UsageFilter;
  readonly isLogOff: boolean;
}

/** The most frequent error codes, with links to their requests. */
export function TopErrors({ of: { query, range }, filter, isLogOff: isOff }: TopErrorsProps): ReactNode {
  const codes = query.data?.total.codes.slice(0, SHOWN);
  const { from, to } = spanOf(range);
  const rows = codes?.map(({ code, requests }): TopRow => ({
    id: code,
    name: (
      <Link to="/requests" search={{ ...filter, code, from, ...(to !== undefined && { to }) }} className={rowLink} title={code}>
        {code}
      </Link>
    ),
    value: count(requests),
    note: percent(requests, query.data!.total.requests),
    share: requests / codes[0]!.requests,
  }));
  return (
    <TopList
      title="Top errors"
      unit="Requests"
      rows={rows}
      empty={isOff ? "The request log is off, so there is no error data." : "No errors in this range."}
      error={permanentError(query.error)}
      retry={() => void query.refetch()}
      isStale={query.isPlaceholderData}
    />
  );
}

export type OverviewSearch = UsageSearch & Omit<UsageFilter, "key">;

interface RangeBarProps {
  readonly search: OverviewSearch;
  readonly range: Range;
}

/** The filters of the overview. All of them are in the URL. */
export function RangeBar({ search, range }: RangeBarProps): ReactNode {
  const { isOperator } = useMe();
  const navigate = useNavigate();
  const change = (changed: { [Name in keyof OverviewSearch]?: string | null }): void =>
    void navigate({ to: "/", search: given({ ...search, ...changed }) });
  return (
    <div className="flex flex-wrap items-end gap-2">
      <RangeChoices range={range} />
      <ZonePicker zone={range.zone} onPick={(zone) => change({ zone })} />
      {isOperator && (
        <AccountPicker
          isLabelHidden
          isClearable
          placeholder="All accounts"
          className="w-40 max-sm:min-w-36 max-sm:flex-1"
          value={search.account ?? null}
          onPick={(account) => change({ account })}
        />
      )}
      <ModelPicker
        isLabelHidden
        isClearable
        placeholder="All models"
        className="w-44 max-sm:min-w-36 max-sm:flex-1"
        value={search.model ?? null}
        onPick={(model) => change({ model })}
      />
    </div>
  );
}

/** Omits empty parameters, to keep the address short. */
function given(search: { [Name in keyof OverviewSearch]?: string | null | undefined }): OverviewSearch {
  return Object.fromEntries(Object.entries(search).filter((pair) => pair[1]));
}

function ZonePicker({ zone, onPick }: { readonly zone: string; readonly onPick: (zone: string | null) => void }): ReactNode {
  const picks = useMemo(() => {
    const names = new Set(["UTC", zone, ...Intl.supportedValuesOf("timeZone")]);
    return [...names].map((name) => ({ value: name, label: name }));
  }, [zone]);
  return (
    <Picker label="Time zone" isLabelHidden picks={picks} value={zone} onPick={onPick} className="w-48 max-sm:min-w-36 max-sm:flex-1" />
  );
}
