import { useEffect, type ReactNode } from "react";
import { useSelection } from "../data-table/bulk-bar.tsx";
import { ColumnPicker } from "../data-table/column-picker.tsx";
import type { DataColumn } from "../data-table/data-column.ts";
import { PagedDataTable, useRows } from "../data-table/paged-data-table.tsx";
import { useTableSettings } from "../data-table/use-table-settings.ts";
import { Switch } from "../inputs/switch.tsx";
import { BulkActions, type ListPages } from "./bulk-actions.tsx";
import type { BulkAction } from "./bulk-dialog.tsx";
import { filtersOf, keyOf, searchOf, sortOf, type ListSearch } from "./list-search.ts";
import { useFittedColumns } from "./use-fitted-columns.ts";

/** The size of the first page of a list, which is shown soon, and of the next ones. */
export const FIRST_PAGE = 100;
export const LATER_PAGES = { laterLimit: 1000 } as const;

interface ListTableProps<Row> {
  readonly label: string;
  readonly of: ListPages<Row>;
  readonly columns: readonly DataColumn<Row>[];
  readonly nameOf: (row: Row) => string;
  /** A number of rows in words: "12 keys". */
  readonly inWords: (count: number) => string;
  readonly search: ListSearch;
  /** Called with the changed query parameters. */
  readonly onSearch: (change: ListSearch) => void;
  /** The default sort of the API. */
  readonly usualSort: string;
  /** Without actions, rows cannot be selected. */
  readonly actions?: readonly BulkAction<Row>[];
  readonly filters: ReactNode;
  readonly empty: ReactNode;
}

/** A list with filters, sort, choice of columns, a switch for archived entries, and actions on selected rows. */
export function ListTable<Row extends { readonly id: string }>(props: ListTableProps<Row>): ReactNode {
  const { label, of, search, onSearch, usualSort, actions = [], inWords } = props;
  const settings = useTableSettings(label.toLowerCase());
  const rows = useRows(of);
  const columns = useFittedColumns(props.columns, rows);
  const selection = useSelection();
  const { clear } = selection;
  const filters = JSON.stringify(filtersOf(search));
  // An action must not touch rows that a filter has hidden.
  useEffect(clear, [clear, filters]);
  const total = of.data?.pages.at(-1)?.total;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        {props.filters}
        <div className="ml-auto flex flex-wrap items-center gap-3 max-sm:ml-0 max-sm:basis-full">
          <span role="status" className="text-ink-2">
            {total !== undefined && inWords(total)}
          </span>
          <Switch
            label="Archived"
            checked={search.archived === "true"}
            onChange={({ target }) => onSearch({ archived: target.checked ? "true" : "" })}
          />
          <ColumnPicker columns={columns} settings={settings} />
        </div>
      </div>
      {/* Clipped, not hidden: the header of the table stays at the top of the window. */}
      <div className="card overflow-clip">
        <PagedDataTable
          label={label}
          of={of}
          rows={rows}
          total={total}
          columns={columns}
          settings={settings}
          keyOf={keyOf}
          nameOf={props.nameOf}
          sort={sortOf(search, props.columns, usualSort)}
          onSort={(sort) => onSearch(searchOf(sort, props.columns, usualSort))}
          {...(actions.length > 0 && { selection })}
          empty={props.empty}
        />
      </div>
      {actions.length > 0 && (
        <BulkActions of={of} rows={rows} selection={selection} actions={actions} nameOf={props.nameOf} inWords={inWords} />
      )}
    </div>
  );
}
