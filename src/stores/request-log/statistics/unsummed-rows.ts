import type { LogDialect } from "../log-dialect.ts";
import type { RequestRow } from "../request-rows.ts";
import type { SummedRequest } from "./request-sums.ts";

/** The columns of a request that are summed. */
export type UnsummedRow = Pick<
  RequestRow,
  "row" | "ended_at_ms" | "account_id" | "model" | "outcome" | "code" | "duration_us" | "first_token_us"
>;

/** Selects the columns that are summed. */
export function selectUnsummed(dialect: LogDialect, requests: string): string {
  const numbers = ["row", "ended_at_ms", "duration_us", "first_token_us"].map((column) => `${dialect.numberOf(column)} as ${column}`);
  return `select ${numbers.join(", ")}, account_id, model, outcome, code from ${requests} as requests`;
}

export function toSummed(row: UnsummedRow): SummedRequest {
  return {
    endedAtMs: row.ended_at_ms,
    accountId: row.account_id,
    model: row.model,
    outcome: row.outcome,
    code: row.code,
    durationMs: row.duration_us / 1000,
    firstTokenMs: row.first_token_us === null ? null : row.first_token_us / 1000,
  };
}
