import type { ReactNode } from "react";
import { Table, type Column } from "../parts/table.tsx";
import { allSeries, rowsOf, type ChartData, type ChartRow } from "./chart-data.ts";

interface ChartTableProps {
  readonly title: string;
  readonly data: ChartData;
  readonly format: (value: number) => string;
}

/** The values of a chart as a table. */
export function ChartTable({ title, data, format }: ChartTableProps): ReactNode {
  const series = allSeries(data);
  const columns: readonly Column<ChartRow>[] = [
    { title: "Time", cell: ({ slot }) => `${slot.title}${slot.isPartial ? " (incomplete)" : ""}` },
    ...series.map(({ label }, at) => ({
      title: label,
      figures: true,
      cell: ({ cells }: ChartRow) => (cells[at] == null ? <span className="text-ink-3">–</span> : format(cells[at])),
    })),
  ];
  return <Table fills isText dense label={title} columns={columns} rows={rowsOf({ ...data, series })} keyOf={({ slot }) => slot.name} />;
}
