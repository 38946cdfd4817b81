import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowUp, ChevronDown, ChevronRight } from "lucide-react";
import { useCallback, useEffect, useMemo, type ReactNode, type Ref } from "react";
import type { RequestPage } from "../../../../../platform-client/types.ts";
import { Button, buttonClass } from "../../../parts/button.tsx";
import { BulkBar, useSelection } from "../../../parts/data-table/bulk-bar.tsx";
import type { Sort } from "../../../parts/data-table/data-column.ts";
import { PagedDataTable } from "../../../parts/data-table/paged-data-table.tsx";
import type { TableHandle } from "../../../parts/data-table/use-virtual-rows.ts";
import type { TableSettings } from "../../../parts/data-table/use-table-settings.ts";
import { CopyButton } from "../../../parts/copy.tsx";
import { clock, duration, exactMoney, inCount, moment, requestMoney } from "../../../parts/format/format.ts";
import { useFittedColumns } from "../../../parts/list/fit-columns.ts";
import { Notice } from "../../../parts/notice.tsx";
import { useMe } from "../../../shell/me.ts";
import { isConversation, keyOfRow, type ListRow, type ConversationRow } from "../conversations.ts";
import { columnsFor } from "./request-columns.tsx";
import type { Tail } from "./use-tail.ts";
import { useApiQuery } from "../../../platform/use-api.ts";
import { Mono } from "../../../parts/code.tsx";
import { Empty, Loading } from "../../../parts/states.tsx";
import { Badge } from "../../../parts/badge.tsx";

const nameOfRow = (row: ListRow): string =>
  isConversation(row) ? keyOfRow(row) : `request of ${clock(row.ended_at)}, ${row.model ?? "no model"}`;

/** The number of rows whose texts determine the widths of columns. A list may have 100,000 rows. */
const MEASURED_ROWS = 100;

interface RequestListProps {
  readonly list: UseInfiniteQueryResult<InfiniteData<RequestPage>>;
  readonly rows: readonly ListRow[];
  readonly settings: TableSettings;
  readonly total: number | undefined;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly tail: Tail;
  /** Called when the pointer enters or leaves the rows. Rows under the pointer must not move, because the user may click. */
  readonly onPoint: (isPointedAt: boolean) => void;
  readonly onToggle: (conversation: string) => void;
  readonly open: string | undefined;
  readonly isFiltered: boolean;
  /** The filters as text. When they change, the selection is cleared. */
  readonly filters: string;
  readonly onClear: () => void;
  readonly handle: Ref<TableHandle>;
}

export function RequestList({ list, tail, onPoint, onToggle, open, isFiltered, filters, onClear, ...table }: RequestListProps): ReactNode {
  const { isOperator } = useMe();
  const selection = useSelection();
  const { clear } = selection;
  // Clears the selection: an action must not change rows that a filter has hidden.
  useEffect(clear, [clear, filters]);
  const columns = useFittedColumns(
    columnsFor(isOperator, open !== undefined),
    useMemo(() => table.rows.slice(0, MEASURED_ROWS), [table.rows]),
  );
  const span = useCallback(
    (row: ListRow) => (isConversation(row) ? <ConversationHead row={row} onToggle={onToggle} /> : undefined),
    [onToggle],
  );
  return (
    <div className="flex flex-col gap-3">
      {tail.error && <Notice tone="warn">Live updates are interrupted. {tail.error.message}</Notice>}
      <NewRequests tail={tail} />
      {/* `clip` instead of `hidden`, so that the header of the table stays at the top of the window. */}
      <div className="card overflow-clip" onPointerEnter={() => onPoint(true)} onPointerLeave={() => onPoint(false)}>
        <PagedDataTable
          {...table}
          label="Requests"
          of={list}
          columns={columns}
          keyOf={keyOfRow}
          nameOf={nameOfRow}
          current={open}
          span={span}
          {...(open === undefined && { selection })}
          empty={<NoRequests isFiltered={isFiltered} onClear={onClear} />}
        />
      </div>
      {open === undefined && (
        <BulkBar selection={selection}>
          <CopyButton text={[...selection.keys].join("\n")}>Copy request IDs</CopyButton>
          {selection.keys.size === 2 && <CompareLink ids={selection.keys} />}
        </BulkBar>
      )}
    </div>
  );
}

/** Links to the comparison of two requests, the older one first: IDs are ordered by time. */
function CompareLink({ ids }: { readonly ids: ReadonlySet<string> }): ReactNode {
  const [a, b] = [...ids].toSorted();
  return (
    <Link to="/requests/compare" search={{ a: a!, b: b! }} className={buttonClass()}>
      Compare
    </Link>
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

/** The empty states: no match, no requests yet, or the request log is off. */
function NoRequests({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }): ReactNode {
  const { data: about, error } = useApiQuery("showAbout", {});
  if (!about && !error) return <Loading />;
  if (about?.request_log_days === 0) return <LogOff />;
  if (isFiltered) {
    return (
      <Empty title="No matching requests" action={<Button onClick={onClear}>Clear filters</Button>}>
        {about && `Requests are stored for ${about.request_log_days} days.`}
      </Empty>
    );
  }
  return (
    <Empty
      title="No requests yet"
      action={
        <Link to="/playground" className={buttonClass("primary")}>
          Send a request in the playground
        </Link>
      }
    >
      Requests appear here when they complete, with their outcome and cost.
    </Empty>
  );
}

function LogOff(): ReactNode {
  const { isOperator } = useMe();
  return (
    <Empty title="The request log is off">
      <p>Requests are served and charged, but not logged.</p>
      {isOperator ? (
        <p>
          Set <Mono>TOLLGATE_REQUEST_LOG_DAYS</Mono> to the retention in days and restart Tollgate.
        </p>
      ) : (
        <p>An operator can change that.</p>
      )}
    </Empty>
  );
}

interface ConversationHeadProps {
  readonly row: ConversationRow;
  readonly onToggle: (key: string) => void;
}

/** The row of a collapsed conversation: the number, cost and span of its requests. */
function ConversationHead({ row, onToggle }: ConversationHeadProps): ReactNode {
  const { key, conversation, requests, failed, cost, startedAt, endedAt, isOpen } = row;
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => onToggle(key)}
      className="flex w-full items-center gap-3 text-left after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
    >
      <span className="flex min-w-0 items-center gap-1">
        <Icon size={14} aria-hidden className="shrink-0" />
        <span className="truncate font-medium" title={conversation}>
          {conversation}
        </span>
      </span>
      <span className="shrink-0 text-ink-2">{inCount(requests, "request")}</span>
      {failed > 0 && <Badge tone="warn">{failed} not successful</Badge>}
      <span className="figures ml-auto shrink-0 text-ink-3 max-sm:hidden" title={`${moment(startedAt)} – ${moment(endedAt)}`}>
        {clock(startedAt)} – {clock(endedAt)} ({duration(Date.parse(endedAt) - Date.parse(startedAt))})
      </span>
      <span className="figures shrink-0 max-sm:ml-auto" title={exactMoney(cost)}>
        {requestMoney(cost)}
      </span>
    </button>
  );
}
