import { useEffect, useMemo } from "react";
import { BREAKPOINTS, type DataColumn } from "./data-column.ts";
import { omitColumns } from "./omit-columns.ts";
import { useBreakpoint } from "./use-breakpoint.ts";
import type { TableSettings } from "./use-table-settings.ts";

/** Whether a column is shown if there is space: by the user's choice, otherwise by the width of the window. */
export function isShown<Row>(column: DataColumn<Row>, { shown }: Pick<TableSettings, "shown">, breakpoint: number): boolean {
  const { id, from, isOptional = false, isFixed = false } = column;
  if (isFixed) return true;
  return shown[id] ?? (!isOptional && (from === undefined || breakpoint > BREAKPOINTS.indexOf(from)));
}

/** The columns of a table that are shown in this many pixels. Returns the same array until one of them changes. */
export function useColumns<Row>(columns: readonly DataColumn<Row>[], settings: TableSettings, room: number): readonly DataColumn<Row>[] {
  const { shown, setOmitted } = settings;
  const breakpoint = useBreakpoint();
  const wanted = useMemo(() => columns.filter((column) => isShown(column, { shown }, breakpoint)), [columns, shown, breakpoint]);
  const omitted = useMemo(() => omitColumns(wanted, shown, room).join(), [wanted, shown, room]);
  // Tells the column picker which columns were omitted.
  useEffect(() => setOmitted(omitted.split(",")), [omitted, setOmitted]);
  return useMemo(() => wanted.filter(({ id }) => !omitted.split(",").includes(id)), [wanted, omitted]);
}
