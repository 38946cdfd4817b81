import { ApiError } from "../../requests/api-error.ts";
import type { LogDialect } from "./log-dialect.ts";
import type { ErasedRequest } from "./request-log-store.ts";
import type { Intervals } from "./statistics/intervals.ts";
import { messageOf } from "../../lib/text/message-of.ts";

/** The database of a request log. Each day can be dropped at any time; it is then empty. All methods throw `overloaded` if a read fails. */
export interface LogDatabase {
  readonly dialect: LogDialect;
  /** The maximum number of chunks read by one query. */
  readonly chunksAtOnce: number;
  /** The days, in order. */
  days(): Promise<readonly string[]>;
  /** The first day with requests. */
  oldestDay(): Promise<string | undefined>;
  /** The rows of a query of one day's tables. */
  query<Row>(day: string, sql: string, parameters: readonly unknown[]): Promise<readonly Row[]>;
  /** Adds the requests of a day to statistics, each once: those in the stored sums, and those that are in no stored sum. */
  addSums(day: string, intervals: Intervals): Promise<void>;
  /** Replaces attributions, and deletes bodies. */
  erase(day: string, erased: readonly ErasedRequest[]): Promise<void>;
}

/** The error of a read that failed. */
export function unavailable(error: unknown): ApiError {
  const detail = `the request log cannot be read: ${messageOf(error)}`;
  return new ApiError("overloaded", "The request log cannot be read at the moment. Please try again in 1s.", {
    retryAfterSeconds: 1,
    detail,
  });
}
