import type { Sort } from "../../../parts/data-table/data-column.ts";

/** The filters of the list in the URL. */
export interface RequestSearch {
  readonly account?: string;
  readonly key?: string;
  readonly model?: string;
  readonly user?: string;
  readonly tag?: string;
  readonly conversation?: string;
  readonly endpoint?: string;
  readonly upstream?: string;
  readonly status?: string;
  readonly outcome?: string;
  readonly code?: string;
  readonly error?: string;
  /** `any`: all mirrored requests; `different`: requests whose mirror returned another result. */
  readonly mirror?: string;
  readonly min_cost?: string;
  readonly max_cost?: string;
  readonly min_duration_ms?: string;
  readonly max_duration_ms?: string;
  readonly min_tokens?: string;
  readonly max_tokens?: string;
  readonly min_attempts?: string;
  readonly max_attempts?: string;
  /** A relative range of `SPANS`. Overrides `from` and `to`. */
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
  /** `on` for live updates. */
  readonly live?: string;
  /** The column that the list is sorted by, unless it is the time, and the order, unless it is the default. */
  readonly sort?: string;
  readonly order?: string;
  /** `conversation`: requests of one conversation are collapsed. */
  readonly group?: string;
}

/** The search of the page, for a component that changes it. */
export interface FilterProps {
  readonly search: RequestSearch;
  readonly onSearch: (search: RequestSearch) => void;
}

/** The filters of the API. */
export type RequestFilters = Omit<RequestSearch, "since" | (typeof VIEW_SETTINGS)[number]>;

/** The filters of the API and the order of the list. */
export type RequestQuery = Omit<RequestSearch, "since" | "live" | "group">;

const VIEW_SETTINGS = ["live", "sort", "order", "group"] as const;

const HOUR_MS = 3_600_000;

export const SPANS = [
  { value: "15m", label: "Last 15 minutes", ms: HOUR_MS / 4 },
  { value: "1h", label: "Last hour", ms: HOUR_MS },
  { value: "24h", label: "Last 24 hours", ms: 24 * HOUR_MS },
  { value: "7d", label: "Last 7 days", ms: 7 * 24 * HOUR_MS },
] as const;

/** The API query. */
export function toQuery(search: RequestSearch, nowMs: number): RequestQuery {
  const { live: _, group: _group, since, ...filters } = search;
  const span = SPANS.find(({ value }) => value === since);
  if (!span) return filters;
  const { from: _from, to: _to, ...others } = filters;
  return { ...others, from: new Date(nowMs - span.ms).toISOString() };
}

/** The filters with changes applied. Empty values are removed. */
export function withChange(search: RequestSearch, change: { readonly [Name in keyof RequestSearch]?: string | null }): RequestSearch {
  return Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value != null && value !== ""));
}

/** The filters of a query, without the order. */
export function filtersOf(query: RequestQuery): RequestFilters {
  const { sort: _, order: _order, ...filters } = query;
  return filters;
}

/** Without filters, but with the same view settings. */
export function withoutFilters(search: RequestSearch): RequestSearch {
  return Object.fromEntries(Object.entries(search).filter(([name]) => isViewSetting(name)));
}

export function hasFilters(search: RequestSearch): boolean {
  return Object.keys(search).some((name) => !isViewSetting(name));
}

function isViewSetting(name: string): boolean {
  return (VIEW_SETTINGS as readonly string[]).includes(name);
}

/**
 * Whether the list updates live. A range with an end gets no new requests, and new requests are at the top only if the list is sorted by
 * time.
 */
export function isLive({ live, to, since, sort, order }: RequestSearch): boolean {
  return live === "on" && (to === undefined || since !== undefined) && sort === undefined && order === undefined;
}

/** The sort of the list. Columns are named as in the API. */
export function sortOf({ sort = "time", order }: RequestSearch): Sort {
  return { column: sort, direction: order === "oldest" || order === "lowest" ? "ascending" : "descending" };
}

export function withSort(search: RequestSearch, { column, direction }: Sort): RequestSearch {
  const isByTime = column === "time";
  const order = direction === "descending" ? null : isByTime ? "oldest" : "lowest";
  return withChange(search, { sort: isByTime ? null : column, order, ...((!isByTime || order) && { live: null }) });
}
