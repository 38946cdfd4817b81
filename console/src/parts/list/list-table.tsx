import { useEffect, type ReactNode, useState } from "react";
import { useSelection, BulkBar, type Selection } from "../data-table/bulk-bar.tsx";
import { ColumnPicker } from "../data-table/column-picker.tsx";
import type { DataColumn } from "../data-table/data-column.ts";
import { PagedDataTable, useRows } from "../data-table/paged-data-table.tsx";
import { useTableSettings } from "../data-table/use-table-settings.ts";
import { Switch } from "../inputs/switch.tsx";
import { type BulkAction, BulkDialog } from "./bulk-dialog.tsx";
import { filtersOf, keyOf, searchOf, sortOf, type ListSearch } from "./list-search.ts";
import { useFittedColumns } from "./fit-columns.ts";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { Button } from "../button.tsx";
import { count } from "../format/format.ts";

/** The size of the first page of a list, which loads fast, and of later pages. */
export const FIRST_PAGE = 100;
export const LATER_PAGES = { laterLimit: 1000 } as const;

interface ListTableProps<Row> {
  readonly label: string;
  readonly of: ListPages<Row>;
  readonly columns: readonly DataColumn<Row>[];
  readonly nameOf: (row: Row) => string;
  /** A number of rows as text: "12 keys". */
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

/** A list with filters, sorting, a column picker, a switch for archived entries, and actions on selected rows. */
export function ListTable<Row extends { readonly id: string }>(props: ListTableProps<Row>): ReactNode {
  const { label, of, search, onSearch, usualSort, actions = [], inWords } = props;
  const settings = useTableSettings(label.toLowerCase());
  const rows = useRows(of);
  const columns = useFittedColumns(props.columns, rows);
  const selection = useSelection();
  const { clear } = selection;
  const filters = JSON.stringify(filtersOf(search));
  // Clears the selection: an action must not change rows that a filter has hidden.
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
      {/* `clip` instead of `hidden`, so that the header of the table stays at the top of the window. */}
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

interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
  readonly total: number;
}

type ListPages<Row> = UseInfiniteQueryResult<InfiniteData<ListPage<Row>>>;

interface BulkActionsProps<Row> {
  readonly of: ListPages<Row>;
  readonly rows: readonly Row[];
  readonly selection: Selection;
  readonly actions: readonly BulkAction<Row>[];
  readonly nameOf: (row: Row) => string;
  readonly inWords: (count: number) => string;
}

/** The buttons for the selected rows, and the dialog of the clicked action. */
function BulkActions<Row extends { readonly id: string }>(props: BulkActionsProps<Row>): ReactNode {
  const { of, rows, selection, actions, nameOf, inWords } = props;
  const [action, setAction] = useState<BulkAction<Row>>();
  const total = of.data?.pages.at(-1)?.total;
  const selectAll = async (): Promise<void> => {
    let loaded = of;
    while (loaded.hasNextPage && !loaded.isFetchNextPageError) loaded = await loaded.fetchNextPage();
    selection.select(loaded.data?.pages.flatMap(({ data }) => data.map(keyOf)) ?? []);
  };
  return (
    <>
      <BulkBar selection={selection}>
        {of.hasNextPage && total !== undefined && selection.keys.size === rows.length && (
          <Button small busy={of.isFetchingNextPage} onClick={() => void selectAll()}>
            Select all {count(total)}
          </Button>
        )}
        {actions.map((each) => (
          <Button key={each.label} small onClick={() => setAction(each)} className={each.weight ? "" : "text-bad!"}>
            {each.label}
          </Button>
        ))}
      </BulkBar>
      {action && (
        <BulkDialog
          action={action}
          rows={rows.filter(({ id }) => selection.keys.has(id))}
          nameOf={nameOf}
          inWords={inWords}
          onEnd={(unchanged) => selection.select(unchanged.map(keyOf))}
          onClose={() => setAction(undefined)}
        />
      )}
    </>
  );
}
