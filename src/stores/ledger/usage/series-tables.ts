import { ATTRIBUTED_GRANULARITIES, GRANULARITIES, type Granularity } from "./granularity.ts";

/** The tables of a kind of series, and of their sums. */
export interface SeriesTables {
  readonly series: string;
  readonly sums: string;
  /** The column with the owner of a series. */
  readonly owner: string;
  /** The column with the name of a series, besides its key and model. */
  readonly name: string;
  /** The granularities of its rollups, finest first. */
  readonly granularities: readonly Granularity[];
  /** Its shards are numbered from here on, so that each kind of series has its own watermarks. */
  readonly firstShard: number;
}

/** Series of accounts, and of `EVERYBODY`, by key, model and upstream. */
export const USAGE: SeriesTables = {
  series: "usage_series",
  sums: "usage_sums",
  owner: "account_id",
  name: "upstream",
  granularities: GRANULARITIES,
  firstShard: 0,
};

/** Series of the end users, the conversations or the values of a tag of an account, by key and model. */
export const ATTRIBUTION: SeriesTables = {
  series: "attribution_series",
  sums: "attribution_sums",
  owner: "owner",
  name: "name",
  granularities: ATTRIBUTED_GRANULARITIES,
  firstShard: 2 ** 40,
};

export function tablesOf(shard: number): SeriesTables {
  return shard < ATTRIBUTION.firstShard ? USAGE : ATTRIBUTION;
}
