import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Button } from "../button.tsx";
import { BulkBar, type Selection } from "../data-table/bulk-bar.tsx";
import { count } from "../format/format.ts";
import { BulkDialog, type BulkAction } from "./bulk-dialog.tsx";
import { keyOf } from "./list-search.ts";

interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
  readonly total: number;
}

export type ListPages<Row> = UseInfiniteQueryResult<InfiniteData<ListPage<Row>>>;

interface BulkActionsProps<Row> {
  readonly of: ListPages<Row>;
  readonly rows: readonly Row[];
  readonly selection: Selection;
  readonly actions: readonly BulkAction<Row>[];
  readonly nameOf: (row: Row) => string;
  readonly inWords: (count: number) => string;
}

/** The buttons for the selected rows, and the dialog of the one that was clicked. */
export function BulkActions<Row extends { readonly id: string }>(props: BulkActionsProps<Row>): ReactNode {
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
