import type { UseQueryResult } from "@tanstack/react-query";
import { getRouteApi, useNavigate, useParams } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { RequestCount } from "../../../../platform-client/types.ts";
import { useApiQuery, usePages } from "../../platform/use-api.ts";
import { classes } from "../../parts/classes.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { useRows } from "../../parts/data-table/paged-data-table.tsx";
import type { TableHandle } from "../../parts/data-table/use-row-focus.ts";
import { useTableSettings } from "../../parts/data-table/use-table-settings.ts";
import { Page } from "../../parts/page.tsx";
import { Switch } from "../../parts/inputs/switch.tsx";
import { SavedViews } from "../../shell/saved-views.tsx";
import { groupByConversation, type ListRow } from "./conversations.ts";
import { ExportMenu } from "./exports/export-menu.tsx";
import { FilterBar } from "./filters/filter-bar.tsx";
import { FilterChips } from "./filters/filter-chips.tsx";
import { ListBar } from "./list/list-bar.tsx";
import { PanelArea } from "./panel/panel-area.tsx";
import { RequestList } from "./list/request-list.tsx";
import { RequestPanel } from "./panel/request-panel.tsx";
import {
  filtersOf,
  hasFilters,
  isLive,
  sortOf,
  withChange,
  withoutFilters,
  withSort,
  type RequestFilters,
  type RequestQuery,
  type RequestSearch,
  type FilterProps,
} from "./filters/request-search.ts";
import { useListKeys } from "./list/use-list-keys.ts";
import { useListNavigation } from "./list/use-list-navigation.ts";
import { useOpenedList } from "./list/use-opened-list.ts";
import { useScrolled } from "./list/use-scrolled.ts";
import { useTail } from "./list/use-tail.ts";

const route = getRouteApi("/signed-in/requests");
const LATER_PAGE = 500;
const COUNT_EVERY_MS = 10_000;

/** The request log, newest first. An open request is shown beside the list, or instead of it on narrow screens. */
export function RequestsPage(): ReactNode {
  const search: RequestSearch = route.useSearch();
  const { id } = useParams({ strict: false });
  const setSearch = useSetSearch(id);
  const { query, input, openedAt } = useOpenedList(search);
  const list = usePages("listRequests", input, { laterLimit: LATER_PAGE, openedAt });
  const requests = useRows(list);
  const isGrouped = search.group === "conversation";
  const { rows, toggle } = useListRows(requests, isGrouped);
  const total = useTotal(query, isLive(search));
  const settings = useTableSettings("requests");
  const table = useRef<TableHandle>(null);
  const [isPointedAt, setPointedAt] = useState(false);
  const isPaused = useScrolled() || isPointedAt || id !== undefined;
  const tail = useTail({ input, openedAt, list }, { isOn: isLive(search), isPaused });
  const navigation = useListNavigation({ list, rows, table, open: id });
  useListKeys(navigation, id !== undefined);
  useEffect(() => {
    if (id !== undefined) table.current?.show(id);
  }, [id]);
  const keyName = (key: string): string => requests.find((row) => row.key === key)?.key_name ?? key;
  return (
    <Page
      title={id === undefined ? "Requests" : `Request ${id}`}
      heading="Requests"
      docs="request-log"
      about={<KeysHint />}
      wide
      actions={
        <>
          <SavedViews />
          <ListActions filters={filtersOf(query)} />
        </>
      }
    >
      <div className={classes("flex flex-col gap-3", id !== undefined && "max-xl:hidden")}>
        <Filters search={search} onSearch={setSearch} keyName={keyName} />
        <ListBar
          total={total.data}
          loaded={requests.length}
          isGrouped={isGrouped}
          onGroup={(isOn) => setSearch(withChange(search, { group: isOn ? "conversation" : null }))}
          settings={settings}
        />
      </div>
      <PanelArea
        list={
          <RequestList
            list={list}
            rows={rows}
            settings={settings}
            total={isGrouped || !total.data?.is_exact ? undefined : total.data.count}
            sort={sortOf(search)}
            onSort={(sort) => setSearch(withSort(search, sort))}
            tail={tail}
            onPoint={setPointedAt}
            onToggle={toggle}
            open={id}
            isFiltered={hasFilters(search)}
            filters={JSON.stringify(filtersOf(query))}
            onClear={() => setSearch(withoutFilters(search))}
            handle={table}
          />
        }
        panel={id === undefined ? undefined : <RequestPanel id={id} navigation={navigation} search={search} onSearch={setSearch} />}
      />
    </Page>
  );
}

function Filters({ search, onSearch, keyName }: FilterProps & { readonly keyName: (id: string) => string }): ReactNode {
  return (
    <>
      <FilterBar search={search} onSearch={onSearch}>
        <Switch
          label="Live"
          className="ml-auto"
          checked={isLive(search)}
          onChange={({ target }) =>
            onSearch(withChange(search, target.checked ? { live: "on", to: null, sort: null, order: null } : { live: null }))
          }
        />
      </FilterBar>
      {hasFilters(search) && <FilterChips search={search} onSearch={onSearch} keyName={keyName} />}
    </>
  );
}

interface ListRows {
  readonly rows: readonly ListRow[];
  /** Opens or closes a conversation. */
  readonly toggle: (conversation: string) => void;
}

/** The number of requests that match the filters. */
function useTotal(query: RequestQuery, isUpdated: boolean): UseQueryResult<RequestCount> {
  return useApiQuery("countRequests", { query: filtersOf(query) }, { keepsPrevious: true, ...(isUpdated && { every: COUNT_EVERY_MS }) });
}

function useListRows(requests: readonly Extract<ListRow, { request_id: string }>[], isGrouped: boolean): ListRows {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => (isGrouped ? groupByConversation(requests, open) : requests), [requests, open, isGrouped]);
  const toggle = useCallback((key: string) => setOpen((known) => known.symmetricDifference(new Set([key]))), []);
  return { rows, toggle };
}

/** Changes the filters and keeps the open request open. */
function useSetSearch(id: string | undefined): (search: RequestSearch) => void {
  const navigate = useNavigate();
  return (search) => {
    if (id === undefined) void navigate({ to: "/requests", search, resetScroll: false });
    else void navigate({ to: "/requests/$id", params: { id }, search, resetScroll: false });
  };
}

function KeysHint(): ReactNode {
  return (
    <>
      The request log.{" "}
      <span className="text-ink-3 max-lg:hidden">
        <Kbd>J</Kbd> and <Kbd>K</Kbd> move through the list, <Kbd>Enter</Kbd> opens a request, <Kbd>Esc</Kbd> closes it.
      </span>
    </>
  );
}

function Kbd({ children }: { readonly children: string }): ReactNode {
  return <kbd className="rounded-sm border border-line bg-surface px-1 font-sans text-xs text-ink-2">{children}</kbd>;
}

function ListActions({ filters }: { readonly filters: RequestFilters }): ReactNode {
  return (
    <>
      <CopyButton text={location.href}>Copy link</CopyButton>
      <ExportMenu filters={filters} />
    </>
  );
}
