import { getRouteApi, useNavigate, useParams } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { addressOf } from "../../platform/call.ts";
import { usePages } from "../../platform/use-platform.ts";
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
import { hasFilters, isFollowed, toQuery, withChange, withoutFilters, type RequestQuery, type RequestSearch } from "./request-search.ts";
import { useListKeys } from "./use-list-keys.ts";
import { useScrolled } from "./use-scrolled.ts";
import { useTail } from "./use-tail.ts";
import { linkOf, rowsIn, useWalk } from "./use-list-navigation.ts";

const route = getRouteApi("/signed-in/requests");
const AT_ONCE = 50;

/** What was asked, newest first, and one of it beside the list, or in its place where there is no room for both. */
export function RequestsPage(): ReactNode {
  const search: RequestSearch = route.useSearch();
  const { id } = useParams({ strict: false });
  const setSearch = useSetSearch(id);
  const query = useQueryOf(search);
  const asked = { query: { ...query, limit: AT_ONCE } };
  const list = usePages("listRequests", asked);
  const [isPointedAt, setPointedAt] = useState(false);
  const isHeld = useScrolled() || isPointedAt || id !== undefined;
  const tail = useTail(asked, list, { isOn: isFollowed(search), isHeld });
  const walk = useWalk(list, id);
  useListKeys(walk, id !== undefined);
  useEffect(() => {
    if (id !== undefined) linkOf(id)?.closest("tr")?.scrollIntoView({ block: "nearest" });
  }, [id]);
  const keyName = (key: string): string => rowsIn(list.data).find((row) => row.key === key)?.key_name ?? key;
  return (
    <Page
      title={id === undefined ? "Requests" : `Request ${id}`}
      heading="Requests"
      about={<KeysHint />}
      wide
      actions={<ListActions query={query} />}
    >
      <div className={classes("flex flex-col gap-3", id !== undefined && "max-xl:hidden")}>
        <FilterBar search={search} onSearch={setSearch}>
          <Switch
            label="Live"
            className="ml-auto"
            checked={isFollowed(search)}
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
        {id !== undefined && <RequestPanel id={id} walk={walk} search={search} onSearch={setSearch} />}
      </div>
    </Page>
  );
}

/** The request that is open stays open while the list beside it changes. */
function useSetSearch(id: string | undefined): (search: RequestSearch) => void {
  const navigate = useNavigate();
  return (search) => {
    if (id === undefined) void navigate({ to: "/requests", search, resetScroll: false });
    else void navigate({ to: "/requests/$id", params: { id }, search, resetScroll: false });
  };
}

/** "The last hour" is reckoned once: as long as the list is looked at, it is the same list. */
function useQueryOf(search: RequestSearch): RequestQuery {
  const text = JSON.stringify(search);
  const nowMs = useMemo(() => (search.since === undefined ? 0 : Date.now()), [search.since]);
  return useMemo(() => toQuery(JSON.parse(text) as RequestSearch, nowMs), [text, nowMs]);
}

function KeysHint(): ReactNode {
  return (
    <>
      What was asked, and what became of it.{" "}
      <span className="text-ink-3 max-lg:hidden">
        <Kbd>J</Kbd> and <Kbd>K</Kbd> move through the list, <Kbd>Enter</Kbd> opens, <Kbd>Esc</Kbd> closes.
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
          { label: "As CSV", download: addressOf("exportRequests", { query: { ...query, format: "csv" } }) },
          { label: "As JSON lines", download: addressOf("exportRequests", { query: { ...query, format: "jsonl" } }) },
        ]}
      />
    </>
  );
}
