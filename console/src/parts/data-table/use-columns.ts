import { useMemo } from "react";
import { BREAKPOINTS, type DataColumn } from "./data-column.ts";
import { useBreakpoint } from "./use-breakpoint.ts";
import type { TableSettings } from "./use-table-settings.ts";

/** Whether a column is shown: as somebody has chosen, else by the width of the window. */
export function isShown<Row>(column: DataColumn<Row>, { shown }: Pick<TableSettings, "shown">, breakpoint: number): boolean {
  const { id, from, isOptional = false, isFixed = false } = column;
  if (isFixed) return true;
  return shown[id] ?? (!isOptional && (from === undefined || breakpoint > BREAKPOINTS.indexOf(from)));
}

/** The columns of a table that are shown. */
export function useColumns<Row>(columns: readonly DataColumn<Row>[], { shown }: TableSettings): readonly DataColumn<Row>[] {
  const breakpoint = useBreakpoint();
  return useMemo(() => columns.filter((column) => isShown(column, { shown }, breakpoint)), [columns, shown, breakpoint]);
}
