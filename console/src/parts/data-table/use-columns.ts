import { useEffect, useMemo } from "react";
import { BREAKPOINTS, type DataColumn } from "./data-column.ts";
import { omitColumns } from "./omit-columns.ts";
import { useBreakpoint } from "./use-breakpoint.ts";
import type { TableSettings } from "./use-table-settings.ts";

/** Whether a column is shown where there is room: as somebody has chosen, else by the width of the window. */
export function isShown<Row>(column: DataColumn<Row>, { shown }: Pick<TableSettings, "shown">, breakpoint: number): boolean {
  const { id, from, isOptional = false, isFixed = false } = column;
  if (isFixed) return true;
  return shown[id] ?? (!isOptional && (from === undefined || breakpoint > BREAKPOINTS.indexOf(from)));
}

/** The columns of a table that are shown in so many pixels. The same array until one of them changes. */
export function useColumns<Row>(columns: readonly DataColumn<Row>[], settings: TableSettings, room: number): readonly DataColumn<Row>[] {
  const { shown, setOmitted } = settings;
  const breakpoint = useBreakpoint();
  const wanted = useMemo(() => columns.filter((column) => isShown(column, { shown }, breakpoint)), [columns, shown, breakpoint]);
  const omitted = useMemo(() => omitColumns(wanted, shown, room).join(), [wanted, shown, room]);
  // For the column picker.
  useEffect(() => setOmitted(omitted.split(",")), [omitted, setOmitted]);
  return useMemo(() => wanted.filter(({ id }) => !omitted.split(",").includes(id)), [wanted, omitted]);
}
