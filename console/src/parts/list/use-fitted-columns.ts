import { useMemo } from "react";
import type { DataColumn } from "../data-table/data-column.ts";
import { fitColumns } from "./fit-columns.ts";

/** The columns that have content, with their widths. Returns the same array until one of them changes. */
export function useFittedColumns<Row>(columns: readonly DataColumn<Row>[], rows: readonly Row[]): readonly DataColumn<Row>[] {
  const fitted = useMemo(() => JSON.stringify([...fitColumns(columns, rows)]), [columns, rows]);
  return useMemo(() => {
    const widths = new Map(JSON.parse(fitted) as [string, number][]);
    return columns.filter(({ id }) => widths.has(id)).map((column) => ({ ...column, width: widths.get(column.id)! }));
  }, [columns, fitted]);
}
