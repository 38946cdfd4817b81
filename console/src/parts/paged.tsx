import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { Failed, Loading } from "./states.tsx";

export type PagesOf<Row> = UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly Row[]; readonly next: string | null }>>;

interface PagedProps<Row> {
  readonly of: PagesOf<Row>;
  /** Shown when there are no rows. */
  readonly empty: ReactNode;
  readonly loading?: ReactNode;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** A paginated list of any form, with a button for the next page. */
export function Paged<Row>({ of, empty, loading = <Loading />, children }: PagedProps<Row>): ReactNode {
  if (of.error && !of.data) return <Failed error={of.error} retry={() => void of.refetch()} />;
  if (!of.data) return loading;
  const rows = of.data.pages.flatMap((page) => page.data);
  if (rows.length === 0) return empty;
  return (
    <div className={classes("transition-opacity", of.isPlaceholderData && "opacity-60")}>
      {children(rows)}
      {of.hasNextPage && (
        <div className="flex justify-center border-t border-line p-2">
          <Button weight="quiet" busy={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </div>
  );
}
