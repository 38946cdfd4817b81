import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { compactCount, money } from "../../parts/format/format.ts";
import { rowLink } from "../../parts/table.tsx";
import type { AccountPage, UsagePage, UsageRow } from "../../../../platform-client/types.ts";
import { useMe } from "../../shell/me.ts";
import type { Range } from "../../breakdown/range.ts";
import { TopList, type TopRow } from "./top-list.tsx";
import { permanentError, type UsageFilter } from "../../breakdown/use-usage.ts";
import { useTop } from "./use-overview.ts";

interface TopListsProps {
  readonly range: Range;
  readonly filter: UsageFilter;
  readonly accounts: UseQueryResult<AccountPage>;
}

const NOTHING = "No usage in this range.";

export function TopLists({ range, filter, accounts }: TopListsProps): ReactNode {
  const { isOperator } = useMe();
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <Models range={range} filter={filter} />
      <Keys range={range} filter={filter} />
      {isOperator && filter.account === undefined && <Accounts range={range} filter={filter} />}
      {isOperator && filter.account === undefined && <LowestBalances accounts={accounts} />}
    </div>
  );
}

type OfRange = Pick<TopListsProps, "range" | "filter">;

function Models({ range, filter }: OfRange): ReactNode {
  return <TopSpend title="Top models" of={useTop("model", range, filter)} id={({ model = "" }) => model} link={modelLink} />;
}

function Keys({ range, filter }: OfRange): ReactNode {
  return <TopSpend title="Top keys" of={useTop("key", range, filter)} id={({ key = "" }) => key} link={keyLink} />;
}

function Accounts({ range, filter }: OfRange): ReactNode {
  return <TopSpend title="Top accounts" of={useTop("account", range, filter)} id={({ account = "" }) => account} link={accountLink} />;
}

function modelLink(id: string): ReactNode {
  return (
    <Link to="/models/$id" params={{ id }} className={rowLink} title={id}>
      {id}
    </Link>
  );
}

function keyLink(id: string, { key_name: name }: UsageRow): ReactNode {
  return (
    <Link to="/keys/$id" params={{ id }} className={rowLink} title={name ? `${name} (${id})` : id}>
      {name ?? id}
    </Link>
  );
}

function accountLink(id: string): ReactNode {
  return (
    <Link to="/accounts/$id" params={{ id }} className={rowLink} title={id}>
      {id}
    </Link>
  );
}

interface TopSpendProps {
  readonly title: string;
  readonly of: UseQueryResult<UsagePage>;
  readonly id: (row: UsageRow) => string;
  readonly link: (id: string, row: UsageRow) => ReactNode;
}

function TopSpend({ title, of, id, link }: TopSpendProps): ReactNode {
  const most = Number(of.data?.data[0]?.cost ?? 0);
  const rows = of.data?.data.map((row): TopRow => {
    const requests = row.requests + row.failed;
    return {
      id: id(row),
      name: link(id(row), row),
      value: money(row.cost),
      note: `${compactCount(requests)} ${requests === 1 ? "request" : "requests"}`,
      share: most === 0 ? 0 : Number(row.cost) / most,
    };
  });
  const state = { error: permanentError(of.error), retry: () => void of.refetch(), isStale: of.isPlaceholderData };
  return <TopList title={title} unit="Spend, without rejected requests" rows={rows} empty={NOTHING} {...state} />;
}

function LowestBalances({ accounts }: { readonly accounts: UseQueryResult<AccountPage> }): ReactNode {
  // Accounts without a limit are sorted last, and have no balance to watch.
  const all = accounts.data?.data.flatMap(({ id, available }) => (available === null ? [] : [{ id, available }]));
  const most = Math.max(0, ...(all ?? []).map(({ available }) => Number(available)));
  const rows = all?.map(({ id, available }): TopRow => ({
    id,
    name: accountLink(id),
    value: money(available),
    ...(Number(available) <= 0 && { note: "out of credit" }),
    share: most === 0 ? 0 : Math.max(0, Number(available)) / most,
  }));
  const state = { error: accounts.error, retry: () => void accounts.refetch(), isStale: false };
  return <TopList title="Lowest balances" unit="Available credit" rows={rows} empty="No accounts." {...state} />;
}
