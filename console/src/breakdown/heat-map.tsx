import type { ReactNode } from "react";
import { ChartPlaceholder } from "../charts/chart-placeholder.tsx";
import { classes } from "../parts/classes.ts";
import { Select } from "../parts/inputs/field.tsx";
import { count, money } from "../parts/format/format.ts";
import { useApiQuery } from "../platform/use-api.ts";
import { HOURS, hoursOfWeek, WEEKDAYS } from "./hours-of-week.ts";
import { describeDays, spanOf, type Range } from "./range.ts";
import { useUsageSearch } from "./use-search.ts";
import { LIVE, permanentError, useOfRange, type UsageFilter } from "./use-usage.ts";

const CHOICES = [
  { value: "requests", label: "Requests" },
  { value: "cost", label: "Spend" },
];

interface HeatMapProps {
  readonly range: Range;
  readonly nowMs: number;
  readonly filter: UsageFilter;
}

/** Requests or spend by weekday and hour of the day. It is a table, so that screen readers can read it cell by cell. */
export function HeatMap({ range, nowMs, filter }: HeatMapProps): ReactNode {
  const [{ heat }, change] = useUsageSearch();
  const measure = heat === "cost" ? "cost" : "requests";
  const { query, range: shown } = useOfRange(
    useApiQuery("showUsage", { query: { ...spanOf(range), ...filter, by: "hour_of_week" } }, LIVE),
    range,
  );
  return (
    <section aria-label="Hours of the week" className="card flex min-w-0 flex-col overflow-hidden">
      <header className="flex items-start justify-between gap-2 px-4 pt-3">
        <div>
          <h2 className="text-sm text-ink-3">Hours of the week</h2>
          <p className="text-sm text-ink-3">{describeDays(shown, nowMs)}, without rejected requests</p>
        </div>
        <Select
          aria-label="Measure of the heat map"
          className="w-28"
          choices={CHOICES}
          value={measure}
          onChange={({ target }) => change({ heat: target.value })}
        />
      </header>
      <div className={classes("min-h-56 px-4 pt-2 pb-3 transition-opacity", query.isPlaceholderData && "opacity-60")}>
        {query.data ? (
          <Cells values={hoursOfWeek(query.data.data, measure)} format={measure === "cost" ? (value) => money(String(value)) : count} />
        ) : (
          <div className="h-52">
            <ChartPlaceholder error={permanentError(query.error)} retry={() => void query.refetch()} />
          </div>
        )}
      </div>
    </section>
  );
}

interface CellsProps {
  /** By weekday and hour. */
  readonly values: readonly (readonly number[])[];
  readonly format: (value: number) => string;
}

function Cells({ values, format }: CellsProps): ReactNode {
  const most = Math.max(...values.flat(), 0);
  return (
    <>
      <table className="w-full table-fixed border-separate border-spacing-px text-xs text-ink-3">
        <thead>
          <tr>
            <th className="w-8">
              <span className="sr-only">Day</span>
            </th>
            {HOURS.map((hour) => (
              <th key={hour} scope="col" className="h-5 font-normal" aria-label={`${hour}:00`}>
                {hour % 6 === 0 && hour}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {values.map((hours, at) => (
            <tr key={WEEKDAYS[at]}>
              <th scope="row" className="text-left font-normal">
                {WEEKDAYS[at]}
              </th>
              {hours.map((value, hour) => (
                <td
                  key={hour}
                  title={`${WEEKDAYS[at]} ${hour}:00: ${format(value)}`}
                  className="h-5 rounded-sm"
                  style={{ background: shade(value, most) }}
                >
                  <span className="sr-only">{format(value)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-2 text-sm text-ink-3">
        {most === 0 ? "Nothing in this range." : `Strongest: ${format(most)} in an hour of the week.`}
      </p>
    </>
  );
}

/** A single colour, whose strength shows the value. Small values look the same as zero. */
function shade(value: number, most: number): string {
  if (value <= 0 || most === 0) return "var(--color-sunken)";
  return `color-mix(in oklab, var(--color-series-1) ${Math.round(12 + (value / most) * 88)}%, var(--color-sunken))`;
}
