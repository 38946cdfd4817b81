import type { UseQueryResult } from "@tanstack/react-query";
import { getRouteApi, useNavigate, useParams } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, useSyncExternalStore, type CSSProperties } from "react";
import type { RequestCount } from "../../../../platform-client/types.ts";
import { useApiQuery, usePages, useApiMutation } from "../../platform/use-api.ts";
import { classes } from "../../parts/classes.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { useRows } from "../../parts/data-table/paged-data-table.tsx";
import type { TableHandle } from "../../parts/data-table/use-virtual-rows.ts";
import { useTableSettings, type TableSettings } from "../../parts/data-table/use-table-settings.ts";
import { Page } from "../../parts/page.tsx";
import { Switch } from "../../parts/inputs/switch.tsx";
import { SavedViews } from "../../shell/saved-views.tsx";
import { groupByConversation, type ListRow } from "./conversations.ts";
import { FilterBar } from "./filters/filter-bar.tsx";
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
import { useListNavigation, type ListNavigation } from "./list/use-list-navigation.ts";
import { useOpenedList } from "./list/use-opened-list.ts";
import { useTail } from "./list/use-tail.ts";
import { Button } from "../../parts/button.tsx";
import { activeFilters } from "./filters/format-filters.ts";
import { Download, X } from "lucide-react";
import { Menu } from "../../parts/overlays/menu.tsx";
import { urlOf } from "../../platform/call.ts";
import { ColumnPicker } from "../../parts/data-table/column-picker.tsx";
import { count, inCount } from "../../parts/format/format.ts";
import { useMe } from "../../shell/me.ts";
import { columnsFor } from "./list/request-columns.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/overlays/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Radios } from "../../parts/inputs/radios.tsx";
import { describeFilters, toExportRequest } from "./exports/export-filters.ts";
import { ExportRow } from "./exports/export-row.tsx";
import { ResizeHandle } from "../../parts/data-table/resize-handle.tsx";

const route = getRouteApi("/signed-in/requests");
const LATER_PAGE = 500;
const COUNT_EVERY_MS = 10_000;

/** The request log, newest first. An open request is shown beside the list, or on narrow screens instead of it. */
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

/** Up to this offset the top of the list is visible. */
const AT_TOP_PX = 120;

function subscribe(notify: () => void): () => void {
  addEventListener("scroll", notify, { passive: true });
  return () => removeEventListener("scroll", notify);
}

/** Whether the page is scrolled down, so that new rows at the top would move the visible ones. */
export function useScrolled(): boolean {
  return useSyncExternalStore(subscribe, () => scrollY > AT_TOP_PX);
}

/** The active filters, each with a remove button. */
export function FilterChips({ search, onSearch, keyName }: FilterProps & { readonly keyName: (id: string) => string }): ReactNode {
  return (
    <div role="group" aria-label="Active filters" className="flex flex-wrap items-center gap-2">
      {activeFilters(search, keyName).map(({ name, title, value }) => (
        <Chip key={name} name={title} value={value} onRemove={() => onSearch(withChange(search, { [name]: null }))} />
      ))}
      <Button small weight="quiet" onClick={() => onSearch(withoutFilters(search))}>
        Clear all
      </Button>
    </div>
  );
}

/** Exports the matching requests: at once as a download, or in the background, which suits large sets. */
export function ExportMenu({ filters }: { readonly filters: RequestFilters }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Menu
        label="Export"
        trigger={
          <Button>
            <Download size={14} aria-hidden />
            Export
          </Button>
        }
        items={[
          { label: "CSV", download: urlOf("exportRequests", { query: { ...filters, format: "csv" } }) },
          { label: "JSON Lines", download: urlOf("exportRequests", { query: { ...filters, format: "jsonl" } }) },
          { label: "In the background…", onSelect: () => setOpen(true) },
        ]}
      />
      {isOpen && <BackgroundExports filters={filters} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Elements that handle keys themselves: input fields and overlays. */
const OWN_KEYS = "input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]";

/** J and K move through the list; so do the arrow keys while a row has the focus (elsewhere they scroll). Escape closes the panel. */
export function useListKeys(navigation: ListNavigation, isOpen: boolean): void {
  const latest = useRef({ navigation, isOpen });
  latest.current = { navigation, isOpen };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as Element;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || target.closest(OWN_KEYS)) return;
      const act = actionOf(event.key, target.closest("[data-row]") !== null, latest.current);
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function actionOf(
  key: string,
  isInRow: boolean,
  { navigation, isOpen }: { navigation: ListNavigation; isOpen: boolean },
): (() => void) | undefined {
  if (key === "j" || key === "J" || (isInRow && key === "ArrowDown")) return () => navigation.move(1);
  if (key === "k" || key === "K" || (isInRow && key === "ArrowUp")) return () => navigation.move(-1);
  return key === "Escape" && isOpen ? navigation.close : undefined;
}

interface ListBarProps {
  readonly total: RequestCount | undefined;
  readonly loaded: number;
  readonly isGrouped: boolean;
  readonly onGroup: (isGrouped: boolean) => void;
  readonly settings: TableSettings;
}

/** The line above the list: the number of requests, and how they are shown. */
export function ListBar({ total, loaded, isGrouped, onGroup, settings }: ListBarProps): ReactNode {
  const { isOperator } = useMe();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="text-ink-2">
        {total && formatTotal(total)}
        {isGrouped && <span className="text-ink-3"> · Conversations have the sums of the {count(loaded)} requests loaded so far.</span>}
      </p>
      <div className="ml-auto flex flex-wrap items-center gap-3 max-sm:ml-0">
        <Switch label="Group by conversation" checked={isGrouped} onChange={({ target }) => onGroup(target.checked)} />
        <ColumnPicker columns={columnsFor(isOperator, false)} settings={settings} />
      </div>
    </div>
  );
}

function formatTotal({ count: found, is_exact: isExact }: RequestCount): string {
  return isExact ? inCount(found, "request") : `at least ${inCount(found, "request")}`;
}

const POLL_MS = 1000;

/**
 * Starts a background export of the matching requests, and lists the person's own exports. Exports continue when the dialog is closed or
 * the page is left.
 */
export function BackgroundExports({ filters, onClose }: { readonly filters: RequestFilters; readonly onClose: () => void }): ReactNode {
  const [format, setFormat] = useState<"csv" | "jsonl">("csv");
  const create = useApiMutation("createExport");
  const exports = useApiQuery("listExports", {}, { every: POLL_MS });
  const all = exports.data?.data;
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="Background exports"
      about="An export goes on when you leave the page. You can download its file for a day."
    >
      <DialogBody>
        <p>
          <span className="text-ink-2">Export: </span>
          <span className="break-words">{describeFilters(filters)}</span>
        </p>
        <Radios
          label="Format"
          name="format"
          value={format}
          choices={[
            { value: "csv", label: "CSV" },
            { value: "jsonl", label: "JSON Lines" },
          ]}
          onPick={(value) => setFormat(value === "csv" ? "csv" : "jsonl")}
        />
        {(create.error ?? exports.error) && <Notice tone="bad">{(create.error ?? exports.error)!.message}</Notice>}
        <section aria-labelledby="own-exports" className="flex flex-col gap-2">
          <h3 id="own-exports" className="font-semibold">
            Your exports
          </h3>
          {all?.length === 0 && <p className="text-ink-2">None yet.</p>}
          <ul className="flex flex-col divide-y divide-line">
            {all?.map((each) => (
              <ExportRow key={each.id} each={each} />
            ))}
          </ul>
        </section>
      </DialogBody>
      <DialogFooter>
        <Cancel onClick={onClose}>Close</Cancel>
        <Button weight="primary" busy={create.isPending} onClick={() => create.mutate({ body: toExportRequest(filters, format) })}>
          Start export
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

const DEFAULT_WIDTH = 480;
const [MIN_WIDTH, MAX_WIDTH] = [360, 1000];
/** The maximum share of the window's width. */
const MAX_SHARE = 0.6;
const ITEM = "tollgate-request-panel";

/** The list and the open request beside it. The edge between them can be moved; its position is stored in this browser. */
export function PanelArea({ list, panel }: { readonly list: ReactNode; readonly panel: ReactNode | undefined }): ReactNode {
  const [chosen, setWidth] = useState(readWidth);
  // A narrow window limits the width. Dragging starts at the limited width.
  const width = Math.min(chosen, Math.floor(useWindowWidth() * MAX_SHARE));
  const resize = (given: number | undefined): void => {
    setWidth(given ?? DEFAULT_WIDTH);
    writeWidth(given);
  };
  const isOpen = panel !== undefined;
  return (
    <div
      style={{ "--panel": `${width}px` } as CSSProperties}
      className={classes(isOpen && "xl:grid xl:grid-cols-[minmax(0,1fr)_var(--panel)] xl:gap-5")}
    >
      <div className={classes("min-w-0", isOpen && "max-xl:hidden")}>{list}</div>
      {isOpen && (
        <div className="relative min-w-0">
          <ResizeHandle
            label="Width of the request"
            side="left"
            width={width}
            min={MIN_WIDTH}
            max={MAX_WIDTH}
            onResize={resize}
            className="absolute inset-y-0 -left-4 w-3 max-xl:hidden"
          />
          {panel}
        </div>
      )}
    </div>
  );
}

function useWindowWidth(): number {
  return useSyncExternalStore(onResized, () => innerWidth);
}

function onResized(notify: () => void): () => void {
  addEventListener("resize", notify);
  return () => removeEventListener("resize", notify);
}

function readWidth(): number {
  try {
    const stored = Number(localStorage.getItem(ITEM) ?? DEFAULT_WIDTH);
    return stored >= MIN_WIDTH && stored <= MAX_WIDTH ? stored : DEFAULT_WIDTH;
  } catch {
    return DEFAULT_WIDTH;
  }
}

function writeWidth(width: number | undefined): void {
  try {
    if (width === undefined) localStorage.removeItem(ITEM);
    else localStorage.setItem(ITEM, String(width));
  } catch {
    // The browser blocks storage: the width is lost when the page is reloaded.
  }
}

/** An active filter with a remove button. */
export function Chip({
  name,
  value,
  onRemove,
}: {
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
}): ReactNode {
  return (
    <span className="inline-flex h-6 max-w-full items-center rounded-full border border-line bg-surface pl-2.5 text-sm">
      <span className="text-ink-3">{name}</span>
      <span className="ml-1 max-w-56 truncate" title={value}>
        {value}
      </span>
      <button
        type="button"
        aria-label={`Remove filter ${name} ${value}`}
        onClick={onRemove}
        className="ml-0.5 flex size-6 shrink-0 items-center justify-center rounded-full text-ink-3 hover:text-ink"
      >
        <X size={12} aria-hidden />
      </button>
    </span>
  );
}
