import type { ReactNode } from "react";
import { Table, type Column } from "../parts/table.tsx";
import { rowsOf, type ChartData, type ChartRow } from "./chart-data.ts";

interface ChartTableProps {
  readonly title: string;
  readonly data: ChartData;
  readonly format: (value: number) => string;
}

/** The values of a chart as a table. */
export function ChartTable({ title, data, format }: ChartTableProps): ReactNode {
  const columns: readonly Column<ChartRow>[] = [
    { title: "Time", cell: ({ slot }) => `${slot.title}${slot.isPartial ? " (incomplete)" : ""}` },
    ...data.series.map(({ label }, at) => ({
      title: label,
      figures: true,
      cell: ({ cells }: ChartRow) => (cells[at] == null ? <span className="text-ink-3">–</span> : format(cells[at])),
    })),
  ];
  return <Table fills isText dense label={title} columns={columns} rows={rowsOf(data)} keyOf={({ slot }) => slot.name} />;
}
