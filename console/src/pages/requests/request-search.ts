/** The filters of the list in the URL. */
export interface RequestSearch {
  readonly account?: string;
  readonly key?: string;
  readonly model?: string;
  readonly user?: string;
  readonly tag?: string;
  readonly conversation?: string;
  readonly upstream?: string;
  readonly status?: string;
  readonly outcome?: string;
  readonly code?: string;
  /** A relative range of `SPANS`. Overrides `from` and `to`. */
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
  /** `on` for live updates. */
  readonly live?: string;
}

export type RequestQuery = Omit<RequestSearch, "since" | "live">;

const HOUR_MS = 3_600_000;

export const SPANS = [
  { value: "15m", label: "Last 15 minutes", ms: HOUR_MS / 4 },
  { value: "1h", label: "Last hour", ms: HOUR_MS },
  { value: "24h", label: "Last 24 hours", ms: 24 * HOUR_MS },
  { value: "7d", label: "Last 7 days", ms: 7 * 24 * HOUR_MS },
] as const;

/** The API query. */
export function toQuery(search: RequestSearch, nowMs: number): RequestQuery {
  const { live: _, since, ...filters } = search;
  const span = SPANS.find(({ value }) => value === since);
  if (!span) return filters;
  const { from: _from, to: _to, ...others } = filters;
  return { ...others, from: new Date(nowMs - span.ms).toISOString() };
}

/** The filters with changes applied. Empty values are removed. */
export function withChange(search: RequestSearch, change: { readonly [Name in keyof RequestSearch]?: string | null }): RequestSearch {
  return Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value != null && value !== ""));
}

/** Without filters, but with the same view settings. */
export function withoutFilters({ live }: RequestSearch): RequestSearch {
  return live === undefined ? {} : { live };
}

export function hasFilters(search: RequestSearch): boolean {
  return Object.keys(search).some((name) => name !== "live");
}

/** Whether the list updates live. A range with an end has no new requests. */
export function isLive({ live, to, since }: RequestSearch): boolean {
  return live === "on" && (to === undefined || since !== undefined);
}
