import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import type { RequestPage } from "../../../../platform-client/types.ts";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { PagedTable } from "../../parts/table.tsx";
import { useMe } from "../../shell/me.ts";
import { NoRequests } from "./no-requests.tsx";
import { columnsFor } from "./request-columns.tsx";
import type { Tail } from "./use-tail.ts";

interface RequestListProps {
  readonly list: UseInfiniteQueryResult<InfiniteData<RequestPage>>;
  readonly tail: Tail;
  /** Called when the pointer enters or leaves the rows, which must not move under a click. */
  readonly onPoint: (isPointedAt: boolean) => void;
  readonly open: string | undefined;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

export function RequestList({ list, tail, onPoint, open, isFiltered, onClear }: RequestListProps): ReactNode {
  const { isOperator } = useMe();
  return (
    <div className="flex flex-col gap-3">
      {tail.error && <Notice tone="warn">Live updates are interrupted. {tail.error.message}</Notice>}
      <NewRequests tail={tail} />
      <div className="card overflow-hidden" onPointerEnter={() => onPoint(true)} onPointerLeave={() => onPoint(false)}>
        <PagedTable
          dense
          label="Requests"
          of={list}
          columns={columnsFor(isOperator, open !== undefined)}
          keyOf={(request) => request.request_id}
          isSelected={(request) => request.request_id === open}
          empty={<NoRequests isFiltered={isFiltered} onClear={onClear} />}
        />
      </div>
    </div>
  );
}

/** A button for requests that arrived while the list is scrolled. It floats over the list, so that no row moves. */
function NewRequests({ tail: { waiting, show } }: { readonly tail: Tail }): ReactNode {
  return (
    <div role="status" className="pointer-events-none sticky top-14 z-20 -mb-3 flex h-0 justify-center overflow-visible lg:top-3">
      {waiting !== undefined && (
        <Button
          weight="primary"
          small
          className="pointer-events-auto rounded-full! px-3! shadow-over"
          onClick={() => {
            show();
            scrollTo({ top: 0 });
          }}
        >
          <ArrowUp size={14} aria-hidden />
          {waiting} new
        </Button>
      )}
    </div>
  );
}
