import { getRouteApi, useNavigate, useParams } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { urlOf } from "../../platform/call.ts";
import { usePages } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Switch } from "../../parts/switch.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { RequestList } from "./request-list.tsx";
import { RequestPanel } from "./request-panel.tsx";
import { hasFilters, isLive, toQuery, withChange, withoutFilters, type RequestQuery, type RequestSearch } from "./request-search.ts";
import { useListKeys } from "./use-list-keys.ts";
import { useScrolled } from "./use-scrolled.ts";
import { useTail } from "./use-tail.ts";
import { linkOf, rowsIn, useListNavigation } from "./use-list-navigation.ts";

const route = getRouteApi("/signed-in/requests");
const PAGE_SIZE = 50;

/** The request log, newest first. An open request is shown beside the list, or instead of it on narrow screens. */
export function RequestsPage(): ReactNode {
  const search: RequestSearch = route.useSearch();
  const { id } = useParams({ strict: false });
  const setSearch = useSetSearch(id);
  const query = useQueryOf(search);
  const input = { query: { ...query, limit: PAGE_SIZE } };
  const list = usePages("listRequests", input);
  const [isPointedAt, setPointedAt] = useState(false);
  const isPaused = useScrolled() || isPointedAt || id !== undefined;
  const tail = useTail(input, list, { isOn: isLive(search), isPaused });
  const navigation = useListNavigation(list, id);
  useListKeys(navigation, id !== undefined);
  useEffect(() => {
    if (id !== undefined) linkOf(id)?.closest("tr")?.scrollIntoView({ block: "nearest" });
  }, [id]);
  const keyName = (key: string): string => rowsIn(list.data).find((row) => row.key === key)?.key_name ?? key;
  return (
    <Page
      title={id === undefined ? "Requests" : `Request ${id}`}
      heading="Requests"
      docs="request-log"
      about={<KeysHint />}
      wide
      actions={<ListActions query={query} />}
    >
      <div className={classes("flex flex-col gap-3", id !== undefined && "max-xl:hidden")}>
        <FilterBar search={search} onSearch={setSearch}>
          <Switch
            label="Live"
            className="ml-auto"
            checked={isLive(search)}
            onChange={({ target }) => setSearch(withChange(search, target.checked ? { live: "on", to: null } : { live: null }))}
          />
        </FilterBar>
        {hasFilters(search) && <FilterChips search={search} onSearch={setSearch} keyName={keyName} />}
      </div>
      <div
        className={classes(id !== undefined && "xl:grid xl:grid-cols-[minmax(0,1fr)_28rem] xl:gap-5 2xl:grid-cols-[minmax(0,1fr)_34rem]")}
      >
        <div className={classes("min-w-0", id !== undefined && "max-xl:hidden")}>
          <RequestList
            list={list}
            tail={tail}
            onPoint={setPointedAt}
            open={id}
            isFiltered={hasFilters(search)}
            onClear={() => setSearch(withoutFilters(search))}
          />
        </div>
        {id !== undefined && <RequestPanel id={id} navigation={navigation} search={search} onSearch={setSearch} />}
      </div>
    </Page>
  );
}

/** Changes the filters and keeps the open request open. */
function useSetSearch(id: string | undefined): (search: RequestSearch) => void {
  const navigate = useNavigate();
  return (search) => {
    if (id === undefined) void navigate({ to: "/requests", search, resetScroll: false });
    else void navigate({ to: "/requests/$id", params: { id }, search, resetScroll: false });
  };
}

/** A relative range is computed once, so that the list stays the same while it is open. */
function useQueryOf(search: RequestSearch): RequestQuery {
  const text = JSON.stringify(search);
  const nowMs = useMemo(() => (search.since === undefined ? 0 : Date.now()), [search.since]);
  return useMemo(() => toQuery(JSON.parse(text) as RequestSearch, nowMs), [text, nowMs]);
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

function ListActions({ query }: { readonly query: RequestQuery }): ReactNode {
  return (
    <>
      <CopyButton text={location.href}>Copy link</CopyButton>
      <Menu
        label="Export"
        trigger={
          <Button>
            <Download size={14} aria-hidden />
            Export
          </Button>
        }
        items={[
          { label: "CSV", download: urlOf("exportRequests", { query: { ...query, format: "csv" } }) },
          { label: "JSON Lines", download: urlOf("exportRequests", { query: { ...query, format: "jsonl" } }) },
        ]}
      />
    </>
  );
}
