import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { MarginPage as Report, MarginRow, MarginTotal } from "../../../../platform-client/types.ts";
import { describeRange, readRange, spanOf } from "../../breakdown/range.ts";
import { useMinute } from "../../breakdown/use-minute.ts";
import { SavedViews } from "../../shell/saved-views.tsx";
import { useApiQuery } from "../../platform/use-api.ts";
import { calendarDay } from "../../parts/format/calendar-day.ts";
import { Stat } from "../../parts/facts.tsx";
import { Select } from "../../parts/inputs/field.tsx";
import { count, exactMoney, inCount, money, toTenths } from "../../parts/format/format.ts";
import { Page, Section } from "../../parts/page.tsx";
import { AccountPicker, ModelPicker } from "../../parts/inputs/resource-pickers.tsx";
import { Empty, Fetched } from "../../parts/states.tsx";
import { Table, type Column } from "../../parts/table.tsx";

const route = getRouteApi("/signed-in/margin");

const GROUPS = [
  { value: "account", label: "By account" },
  { value: "model", label: "By model" },
  { value: "upstream", label: "By upstream" },
  { value: "day", label: "By day" },
] as const;
type Group = (typeof GROUPS)[number]["value"];

const RANGES = [
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "90", label: "Last 90 days" },
];
const MAX_ROWS = 200;

/** Compares the accounts' charges with the providers' charges for the same requests. */
export function MarginPage(): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate();
  const group = GROUPS.find(({ value }) => value === search.by)?.value ?? "account";
  const days = RANGES.find(({ value }) => value === search.days)?.value ?? "30";
  const nowMs = useMinute();
  const range = readRange({ range: `${days}d` }, nowMs, Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { account, model } = search;
  const query = {
    by: group,
    ...spanOf(range),
    limit: MAX_ROWS,
    ...(group !== "day" && { order: "cost" as const }),
    ...(account && { account }),
    ...(model && { model }),
  };
  const report = useApiQuery("showMargin", { query }, { keepsPrevious: true });
  const change = (changed: Partial<Record<keyof typeof search, string | null>>): void => {
    const given = Object.entries({ ...search, ...changed }).filter((pair) => pair[1]);
    void navigate({ to: "/margin", search: Object.fromEntries(given) as typeof search });
  };
  return (
    <Page
      title="Margin"
      docs="price-lists#margin"
      about={`Charges compared with what providers charge for the same requests. ${describeRange(range, nowMs)}`}
      actions={<SavedViews />}
    >
      <div className="flex flex-wrap items-end gap-2">
        <Select
          aria-label="Group"
          className="w-36"
          choices={GROUPS}
          value={group}
          onChange={({ target }) => change({ by: target.value })}
        />
        <Select
          aria-label="Range"
          className="w-36"
          choices={RANGES}
          value={days}
          onChange={({ target }) => change({ days: target.value })}
        />
        <AccountPicker
          isLabelHidden
          isClearable
          placeholder="All accounts"
          className="w-40 max-sm:min-w-36 max-sm:flex-1"
          value={account ?? null}
          onPick={(picked) => change({ account: picked })}
        />
        <ModelPicker
          isLabelHidden
          isClearable
          placeholder="All models"
          className="w-44 max-sm:min-w-36 max-sm:flex-1"
          value={model ?? null}
          onPick={(picked) => change({ model: picked })}
        />
      </div>
      <Fetched of={report}>{(page) => <Shown page={page} group={group} />}</Fetched>
    </Page>
  );
}

function Shown({ page, group }: { readonly page: Report; readonly group: Group }): ReactNode {
  const { total } = page;
  if (total.requests === 0) {
    return (
      <div className="card">
        <Empty title="No charged requests in this range">Choose a longer range, or another account or model.</Empty>
      </div>
    );
  }
  const rows = group === "day" ? page.data.toReversed() : page.data;
  const unknown =
    total.unknown_requests === 0
      ? ""
      : ` ${inCount(total.unknown_requests, "request")} without an upstream cost ${total.unknown_requests === 1 ? "is" : "are"} not included.`;
  return (
    <>
      <Totals total={total} />
      <Section title="Margin" about={`Requests with a known upstream cost.${unknown}`} flush>
        <Table label="Margin" columns={[nameColumn(group), ...MEASURES]} rows={rows} keyOf={(row) => nameOf(row, group)} isText />
        {page.next !== null && <p className="border-t border-line px-4 py-2 text-sm text-ink-3">The first {count(MAX_ROWS)} rows.</p>}
      </Section>
    </>
  );
}

function Totals({ total }: { readonly total: MarginTotal }): ReactNode {
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Sold" value={<Money dollars={total.sold} />} note={inCount(total.requests - total.unknown_requests, "request")} />
      <Stat label="Upstream cost" value={<Money dollars={total.upstream_cost} />} note="What providers charge" />
      <Stat label="Margin" value={<Money dollars={total.margin} />} note={percentOf(total)} />
      <Stat label="Unknown cost" value={count(total.unknown_requests)} note={`of ${inCount(total.requests, "request")}`} />
    </div>
  );
}

function nameColumn(group: Group): Column<MarginRow> {
  const title = { account: "Account", model: "Model", upstream: "Upstream", day: "Day" }[group];
  // After the user selects another grouping, the previous rows are shown until the new ones load.
  const shown = (row: MarginRow): string => (group === "day" && row.day != null ? calendarDay(row.day) : nameOf(row, group));
  return { title, cell: (row) => <span title={nameOf(row, group)}>{shown(row)}</span> };
}

function nameOf(row: MarginRow, group: Group): string {
  return row[group] ?? "none";
}

const MEASURES: readonly Column<MarginRow>[] = [
  { title: "Requests", cell: ({ requests }) => count(requests), figures: true, from: "sm" },
  { title: "Unknown", cell: ({ unknown_requests: unknown }) => count(unknown), figures: true, from: "md" },
  { title: "Sold", cell: ({ sold }) => <Money dollars={sold} />, figures: true },
  { title: "Cost", cell: (row) => <Money dollars={row.upstream_cost} />, figures: true },
  { title: "Margin", cell: (row) => <Money dollars={row.margin} />, figures: true },
  { title: "%", cell: percentOf, figures: true },
];

/** An amount of money. Below zero it is red. Unknown is not zero. */
function Money({ dollars }: { readonly dollars: string | null }): ReactNode {
  if (dollars === null) return <span className="text-ink-3">unknown</span>;
  return (
    <span title={exactMoney(dollars)} className={dollars.startsWith("-") ? "text-bad" : undefined}>
      {money(dollars)}
    </span>
  );
}

function percentOf({ margin_percent: percent }: Pick<MarginRow, "margin_percent">): string {
  return percent === null ? "" : `${toTenths(percent)}%`;
}
