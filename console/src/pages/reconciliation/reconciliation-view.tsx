import { useState, type ReactNode } from "react";
import type { Reconciliation } from "../../../../platform-client/types.ts";
import { ChartCard } from "../../charts/chart-card.tsx";
import { calendarDay } from "../../parts/format/calendar-day.ts";
import { Stat } from "../../parts/facts.tsx";
import { CheckField } from "../../parts/inputs/field.tsx";
import { count, inCount, money } from "../../parts/format/format.ts";
import { numberFormat } from "../../parts/format/locale.ts";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { driftByDay } from "./drift.ts";
import { CELL_COLUMNS, linesOf, NOT_COMPARED_COLUMNS } from "./reconciliation-columns.tsx";

const MAX_ROWS = 500;

export function ReconciliationView({ report }: { readonly report: Reconciliation }): ReactNode {
  const chart = driftByDay(report);
  const highest = Math.max(0, ...chart.series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  return (
    <>
      <Verdict report={report} />
      <Totals report={report} />
      <ChartCard
        title="Drift by day"
        kind="lines"
        total={`up to ${formatPercent(highest)}`}
        data={chart}
        format={formatPercent}
        formatAxis={formatPercent}
        error={null}
        retry={() => undefined}
        isStale={false}
        unit="day"
        empty="The bill and the ledger have the same values."
        note={`Difference of the bill in percent of the ledger, without its sign. Tolerated: ${report.threshold_percent}%.`}
        fileName={`drift-${report.from}-${report.to}.csv`}
      />
      <Rows report={report} />
      <NotCompared report={report} />
    </>
  );
}

const upToHundredths = numberFormat({ maximumFractionDigits: 2 });

function formatPercent(value: number): string {
  return `${upToHundredths.format(value < 10 ? value : Math.round(value))}%`;
}

function Verdict({ report }: { readonly report: Reconciliation }): ReactNode {
  const { agrees, drifts, not_compared: left, threshold_percent: percent, bill, from, to, zone, is_over: isOver } = report;
  const days = `${calendarDay(from)} to ${calendarDay(to)} (${zone})`;
  const problems = [
    drifts && `The bill and the ledger differ by more than ${percent}%.`,
    left.length > 0 && `${inCount(left.length, "line")} could not be compared.`,
  ].filter(Boolean);
  return (
    <>
      <Notice tone={agrees ? "good" : "bad"}>
        {agrees ? `The bill and the ledger agree within ${percent}%.` : problems.join(" ")} Compared: {inCount(bill.lines, "line")}, {days}.
      </Notice>
      {!isOver && <Notice tone="warn">The last day has not ended: its figures will change.</Notice>}
      {bill.outside_range > 0 && <Notice tone="warn">The bill has lines of other days, which were not compared.</Notice>}
    </>
  );
}

function Totals({ report: { money: amounts, rows } }: { readonly report: Reconciliation }): ReactNode {
  const drifting = rows.filter((row) => row.drifts).length;
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="On the bill" value={amounts ? money(amounts.bill) : "–"} note={amounts ? undefined : "The bill has no amounts"} />
      <Stat label="Agreed" value={amounts ? money(amounts.agreed) : "–"} />
      <Stat label="Differing" value={amounts ? money(amounts.differing) : "–"} />
      <Stat label="Rows that differ" value={count(drifting)} note={`of ${count(rows.length)}`} />
    </div>
  );
}

function Rows({ report }: { readonly report: Reconciliation }): ReactNode {
  const [isAll, setAll] = useState(false);
  const lines = linesOf(report, isAll);
  return (
    <Section
      title="By day and model"
      about="Differences are the bill's value minus the ledger's."
      actions={<CheckField label="Show rows that agree" checked={isAll} onChange={({ target }) => setAll(target.checked)} />}
      flush
    >
      {lines.length === 0 ? (
        <Empty title="Nothing differs">All values are within the tolerated difference.</Empty>
      ) : (
        <Table
          label="Reconciled values"
          columns={CELL_COLUMNS}
          rows={lines.slice(0, MAX_ROWS)}
          keyOf={({ day, model, measure }) => `${day} ${model} ${measure}`}
          isText
        />
      )}
      {lines.length > MAX_ROWS && (
        <p className="border-t border-line px-4 py-2 text-sm text-ink-3">
          The first {count(MAX_ROWS)} of {count(lines.length)} values. The command line prints all.
        </p>
      )}
    </Section>
  );
}

function NotCompared({ report: { not_compared: lines } }: { readonly report: Reconciliation }): ReactNode {
  if (lines.length === 0) return null;
  return (
    <Section title="Not compared" about="Amounts that only one side has, or without a cost price." flush>
      <Table
        label="Not compared"
        columns={NOT_COMPARED_COLUMNS}
        rows={lines.slice(0, MAX_ROWS)}
        keyOf={({ day, model, reason }) => `${day} ${model} ${reason}`}
        isText
      />
    </Section>
  );
}
