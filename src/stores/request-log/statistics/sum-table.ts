import type { StoredSums } from "./request-sums.ts";

/** An account or a model, or all of them: all is a number, so that no name can be mistaken for it. */
export type Name = string | typeof ALL;
export const ALL = 0;

/** A row of `sums`. */
export interface SumRow extends StoredSums {
  readonly quarter: number;
}

/**
 * `sums` has the aggregates of requests, and `summed` the last row that they include; both are written in one transaction. The quarter hour
 * comes first in the key, so that rows that are written together are stored together.
 */
export const SUM_TABLES = [
  `create table if not exists sums (quarter integer not null, account not null, model not null, outcomes text not null, codes text,
    durations blob, first_tokens blob, primary key (quarter, account, model)) without rowid`,
  "create table if not exists summed (only integer primary key check (only = 1), end_row integer not null)",
] as const;

export const SELECT_SUMS = "select outcomes, codes, durations, first_tokens from sums where quarter = ? and account = ? and model = ?";

export const REPLACE_SUMS = "insert or replace into sums values (?, ?, ?, ?, ?, ?, ?)";

/** Skip scan: jumps from each quarter hour to the next existing one, without reading the rows of other accounts and models in between. */
export const SELECT_SERIES = `with recursive quarters (quarter) as (
    select min(quarter) from sums where quarter >= $from
    union all
    select (select min(quarter) from sums where quarter > quarters.quarter) from quarters where quarter < $to
  )
  select sums.quarter, outcomes, codes, durations, first_tokens from quarters
    join sums on sums.quarter = quarters.quarter and account = $account and model = $model
    where quarters.quarter < $to`;

export const SELECT_END_ROW = "select end_row from summed";

export const REPLACE_END_ROW = "insert or replace into summed values (1, ?)";
