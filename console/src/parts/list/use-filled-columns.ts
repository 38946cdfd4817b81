import { useMemo } from "react";
import type { DataColumn } from "../data-table/data-column.ts";

/** The columns without those that no loaded row has a value for. The same array until one appears or disappears. */
export function useFilledColumns<Row>(columns: readonly DataColumn<Row>[], rows: readonly Row[]): readonly DataColumn<Row>[] {
  const filled = useMemo(
    () =>
      columns
        .filter(({ hasValue }) => !hasValue || rows.some(hasValue))
        .map(({ id }) => id)
        .join(" "),
    [columns, rows],
  );
  return useMemo(() => {
    const ids = new Set(filled.split(" "));
    return columns.filter(({ id }) => ids.has(id));
  }, [columns, filled]);
}
