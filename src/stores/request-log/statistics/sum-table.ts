import type { StoredSums } from "./request-sums.ts";

/** An account or a model; or all of them, which is no text, so that no name can be taken for it. */
export type Name = string | typeof ALL;
export const ALL = 0;

/** A row of `sums`. */
export interface SumRow extends StoredSums {
  readonly quarter: number;
}

/**
 * `sums` has what requests come to, and `summed` up to which row they are in it; both are written in one transaction. Quarters come
 * first, so that what is written together stands together.
 */
export const SUM_TABLES = [
  `create table if not exists sums (quarter integer not null, account not null, model not null, outcomes text not null, codes text,
    durations blob, first_tokens blob, primary key (quarter, account, model)) without rowid`,
  "create table if not exists summed (only integer primary key check (only = 1), end_row integer not null)",
] as const;

export const SELECT_SUMS = "select outcomes, codes, durations, first_tokens from sums where quarter = ? and account = ? and model = ?";

export const REPLACE_SUMS = "insert or replace into sums values (?, ?, ?, ?, ?, ?, ?)";

/** Goes from each quarter hour to the next that there is: what is of others in between is not looked at. */
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
