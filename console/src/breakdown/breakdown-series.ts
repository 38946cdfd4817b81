import type { ChartData, Series, Slot } from "../charts/chart-data.ts";
import type { MarginRow, UsageRow } from "../../../platform-client/types.ts";
import { endpointLabel } from "../parts/format/format.ts";
import { valueIn, type Breakdown, type Measure } from "./breakdown.ts";
import { color } from "./chart-series.ts";
import type { Range } from "./range.ts";
import { slotsOf } from "./slots.ts";

export type Row = Partial<UsageRow & MarginRow>;

/** A page of a report by hour or day, with a breakdown or without. */
export interface Report {
  readonly data: readonly Row[];
  readonly to: string;
  readonly total: Row;
}

/** The group of a series: the fields of a row that name it. */
export type Group = Pick<Row, "model" | "key" | "account" | "upstream" | "user" | "endpoint" | "tag">;

export interface BreakdownData extends ChartData {
  /** By series ID. Groups that are not among the largest have no entry. */
  readonly groups: ReadonlyMap<string, Group>;
}

const OTHER = "other";
/** The number of available colours. */
export const TOP = 10;

/** The chart of a report: one series for each of the largest groups, the largest first, and one series for all other groups. */
export function breakDown(report: Report, { measure, by }: Breakdown, range: Range): BreakdownData {
  const slots = slotsOf(range, Date.parse(report.to));
  if (by === "total")
    return { slots, series: [seriesOf(measure, report.data, slots, { id: measure.id, label: measure.label, at: 1 })], groups: new Map() };
  const rows = Map.groupBy(report.data, (row) => idOf(row, by));
  const ids = [...rows.keys()].filter((id) => id !== OTHER);
  const sizes = new Map(ids.map((id) => [id, rows.get(id)!.reduce((sum, row) => sum + Number(valueIn(row, measure)), 0)]));
  const named = ids.toSorted((one, other) => sizes.get(other)! - sizes.get(one)! || (one < other ? -1 : 1));
  const series = named.map((id, at) => {
    const label = labelOf(rows.get(id)![0]!, by);
    return seriesOf(measure, rows.get(id)!, slots, { id, label, column: label, at: at + 1 });
  });
  const others = rows.get(OTHER);
  return {
    slots,
    series: others ? [...series, seriesOf(measure, others, slots, { id: OTHER, label: "Other", at: "rest" })] : series,
    groups: new Map(named.map((id) => [id, groupOf(rows.get(id)![0]!, by)])),
  };
}

/** The total of the previous period, in the slots of this one: its first day is aligned with the first day of the range. */
export function previousSeries(report: Report, measure: Measure, range: Range, slots: readonly Slot[]): Series {
  const before = slotsOf(range, Date.parse(report.to));
  const { values } = seriesOf(measure, report.data, before, { id: "previous", label: "", at: 1 });
  return {
    id: "previous",
    label: "Previous period",
    color: "var(--color-ink-2)",
    values: slots.map((_, at) => values[at] ?? null),
  };
}

interface NamedSeries {
  readonly id: string;
  readonly label: string;
  readonly column?: string;
  readonly at: number | "rest";
}

function seriesOf(measure: Measure, rows: readonly Row[], slots: readonly Slot[], { at, ...named }: NamedSeries): Series {
  const byName = new Map(rows.map((row) => [row.hour ?? row.day, row]));
  const values = slots.map(({ name }) => valueIn(byName.get(name), measure));
  return { ...named, color: color(at), values: values.map(Number), ...(measure.isMoney && { exact: values.map(String) }) };
}

function idOf(row: Row, by: Breakdown["by"]): string {
  return row.is_other ? OTHER : `${by}:${JSON.stringify(groupOf(row, by))}`;
}

/** End users and tags of two accounts are different groups, even if they have the same name. */
function groupOf(row: Row, by: Breakdown["by"]): Group {
  if (by === "total") return {};
  const { account } = row;
  const isOfAccount = (by === "user" || by === "tag") && account !== undefined;
  return { ...(isOfAccount && { account }), [by]: row[by] };
}

function labelOf(row: Row, by: Breakdown["by"]): string {
  if (by === "total") return "";
  if (by === "key") return row.key_name ?? row.key ?? "";
  if (by === "upstream") return row.upstream ?? "No upstream";
  if (by === "endpoint") return endpointLabel(row.endpoint ?? "");
  return row[by] ?? "";
}
