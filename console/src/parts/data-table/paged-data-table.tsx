import { useCallback, useMemo, type ReactNode } from "react";
import { Button } from "../button.tsx";
import { classes } from "../classes.ts";
import type { PagesOf } from "../paged.tsx";
import { Failed, Loading } from "../states.tsx";
import { DataTable, type DataTableProps } from "./data-table.tsx";

/** All loaded rows of a paged list in one array. */
export function useRows<Row>(of: PagesOf<Row>): readonly Row[] {
  return useMemo(() => of.data?.pages.flatMap((page) => page.data) ?? [], [of.data]);
}

interface PagedDataTableProps<Row, Item> extends Omit<DataTableProps<Row>, "onNearEnd"> {
  readonly of: PagesOf<Item>;
  /** Shown when there are no rows. */
  readonly empty: ReactNode;
}

/** A data table that loads further pages while the user scrolls. `rows` are the rows of `useRows`, or derived from them. */
export function PagedDataTable<Row, Item = Row>({ of, empty, ...table }: PagedDataTableProps<Row, Item>): ReactNode {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = of;
  const onNearEnd = useCallback(() => {
    // A page that failed to load is loaded again only on a click.
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  if (of.error && !of.data) return <Failed error={of.error} retry={() => void of.refetch()} />;
  if (!of.data) return <Loading lines={8} />;
  if (table.rows.length === 0 && !hasNextPage) return empty;
  const total = table.total ?? (hasNextPage ? undefined : table.rows.length);
  return (
    // Scroll anchoring is off. At the end of the list it would keep "Loading more …" in place, and each page of rows above it would load
    // the next page.
    <div className={classes("[overflow-anchor:none] transition-opacity", of.isPlaceholderData && "opacity-60")}>
      <DataTable {...table} total={total} onNearEnd={onNearEnd} />
      {hasNextPage && (
        <div role="status" className="flex h-11 items-center justify-center gap-3 border-t border-line text-sm text-ink-3">
          {isFetchNextPageError ? (
            <>
              <span>The next rows could not be loaded.</span>
              <Button small onClick={() => void fetchNextPage()}>
                Try again
              </Button>
            </>
          ) : (
            "Loading more …"
          )}
        </div>
      )}
    </div>
  );
}
