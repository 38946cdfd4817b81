/** What is in the address of the list, as it is there. */
export interface RequestSearch {
  readonly account?: string;
  readonly key?: string;
  readonly model?: string;
  readonly upstream?: string;
  readonly status?: string;
  readonly outcome?: string;
  readonly code?: string;
  /** The last minutes, hours or days, by a name of `SPANS`. It takes the place of `from` and `to`. */
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
  /** `on` while the list follows the log. */
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

/** What the platform is asked for. */
export function toQuery(search: RequestSearch, nowMs: number): RequestQuery {
  const { live: _, since, ...filters } = search;
  const span = SPANS.find(({ value }) => value === since);
  if (!span) return filters;
  const { from: _from, to: _to, ...others } = filters;
  return { ...others, from: new Date(nowMs - span.ms).toISOString() };
}

/** Another address, in which these are otherwise. What is empty is not in it. */
export function withChange(search: RequestSearch, change: { readonly [Name in keyof RequestSearch]?: string | null }): RequestSearch {
  return Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value != null && value !== ""));
}

/** Without any filters, but looked at in the same way. */
export function withoutFilters({ live }: RequestSearch): RequestSearch {
  return live === undefined ? {} : { live };
}

export function hasFilters(search: RequestSearch): boolean {
  return Object.keys(search).some((name) => name !== "live");
}

/** Whether the list is followed. What has an end has nothing to wait for. */
export function isFollowed({ live, to, since }: RequestSearch): boolean {
  return live === "on" && (to === undefined || since !== undefined);
}
