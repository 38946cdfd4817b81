import type { ReactNode } from "react";
import { calendarDay } from "../parts/calendar-day.ts";
import { classes } from "../parts/classes.ts";
import { compactCount, count, money } from "../parts/format.ts";
import { Section } from "../parts/page.tsx";
import { Fetched } from "../parts/states.tsx";
import { Table, type Column } from "../parts/table.tsx";
import type { UsagePage } from "../../../platform-client/types.ts";
import { useApiQuery } from "../platform/use-api.ts";
import { dayIn, usageDays, type UsageDay } from "./usage-days.ts";

const COLUMNS: readonly Column<UsageDay>[] = [
  { title: "Day", cell: ({ day }) => calendarDay(day), className: "figures" },
  { title: "Completed", cell: ({ requests }) => count(requests), figures: true },
  { title: "Tokens", cell: ({ tokens }) => count(tokens), figures: true },
  { title: "Cost", cell: ({ cost }) => money(cost), figures: true },
];

/** The usage of a key or an account in the last 30 days: totals, a chart by day, and the same data as a table. */
export function UsageSection({
  of,
  actions,
}: {
  readonly of: { readonly key?: string; readonly account?: string };
  readonly actions?: ReactNode;
}): ReactNode {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const usage = useApiQuery("showUsage", { query: { ...of, by: "day", zone, limit: 50 } });
  return (
    <Section title="Usage, last 30 days" about={`Days in ${zone}. Rejected requests are not included.`} actions={actions}>
      <Fetched of={usage} lines={4}>
        {(page) => <Days page={page} />}
      </Fetched>
    </Section>
  );
}

function Days({ page }: { readonly page: UsagePage }): ReactNode {
  const { total } = page;
  if (total.requests === 0 && total.failed === 0) return <p className="text-ink-3">No completed requests in the last 30 days.</p>;
  const days = usageDays(page.data, dayIn(page.zone, page.from), dayIn(page.zone, page.to));
  return (
    <div className="flex flex-col gap-4">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <Total name="Cost" value={money(total.cost)} />
        <Total name="Completed" value={count(total.requests)} />
        <Total name="Failed" value={count(total.failed)} />
        <Total name="Input tokens" value={compactCount(total.prompt_tokens)} />
        <Total name="Output tokens" value={compactCount(total.completion_tokens)} />
      </dl>
      <Bars days={days} />
      <details>
        <summary className="w-fit text-sm text-ink-2 hover:text-ink">Show as table</summary>
        <div className="mt-2 max-h-80 overflow-y-auto rounded-md border border-line">
          <Table label="Usage by day" columns={COLUMNS} rows={days.toReversed()} keyOf={({ day }) => day} />
        </div>
      </details>
    </div>
  );
}

function Total({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt className="text-sm text-ink-3">{name}</dt>
      <dd className="figures text-lg font-semibold">{value}</dd>
    </div>
  );
}

/** Completed requests per day. Hidden from screen readers, which have the table. */
function Bars({ days }: { readonly days: readonly UsageDay[] }): ReactNode {
  const most = Math.max(...days.map(({ requests }) => requests), 1);
  return (
    <figure aria-hidden>
      <div className="flex h-20 items-end gap-px border-b border-line sm:gap-0.5">
        {days.map(({ day, requests, cost, isPartial }) => (
          <div
            key={day}
            title={`${calendarDay(day)}: ${count(requests)} completed, ${money(cost)}${isPartial ? ", partial day" : ""}`}
            className="flex h-full flex-1 items-end hover:bg-hover"
          >
            <div
              className={classes("w-full rounded-t-sm bg-series-1", isPartial && "opacity-50")}
              style={{ height: requests === 0 ? 0 : `max(2px, ${(requests / most) * 100}%)` }}
            />
          </div>
        ))}
      </div>
      <figcaption className="figures mt-1 flex justify-between text-xs text-ink-3">
        <span>{calendarDay(days[0]!.day)}</span>
        <span>Completed per day, max {count(most)}</span>
        <span>{calendarDay(days.at(-1)!.day)}</span>
      </figcaption>
    </figure>
  );
}
