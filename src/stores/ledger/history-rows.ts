import { readAttribution } from "../../money/attribution.ts";
import type { HistoricalClosing, HistoricalRequest, RequestHistoryFilter } from "./request-history-store.ts";

/** A hold with its closing entry. Amounts are text: they may exceed the exact range of a JavaScript number. */
export interface HistoryRow {
  id: number;
  account_id: string;
  key_id: string;
  model: string;
  requested_model: string;
  at_ms: number;
  held_nanos: string;
  attribution: string | null;
  /** Null while the request is in flight, like all columns of the closing entry. */
  end_id: number | null;
  kind: "settle" | "release";
  ended_at_ms: number;
  price_version: string;
  charged_nanos: string;
  prompt_tokens: number;
  cached_tokens: number;
  cache_write_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  upstream: string;
}

/** The model of a request with the hold `h` and the closing entry `e`. It differs from the model in the hold if a fallback answered. */
export const ANSWERING_MODEL = "coalesce(e.model, h.model)";

/** The columns that the filter restricts, with the required values. */
export function restrictedColumns({ accountId, keyId, model }: Omit<RequestHistoryFilter, "sinceMs">): [column: string, value: string][] {
  const asked = { account_id: accountId, key_id: keyId, model };
  return Object.entries(asked).filter((each): each is [string, string] => each[1] !== undefined);
}

/** The expression for this column in a hold joined with its closing entry. */
export function requestColumn(column: string): string {
  return column === "model" ? ANSWERING_MODEL : `h.${column}`;
}

export function fromHistoryRow(row: HistoryRow): HistoricalRequest {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    requestedModel: row.requested_model,
    atMs: row.at_ms,
    heldNanos: BigInt(row.held_nanos),
    attribution: readAttribution(row.attribution),
    end: row.end_id === null ? undefined : endOf(row, row.end_id),
  };
}

function endOf(row: HistoryRow, id: number): HistoricalClosing {
  const usage = {
    promptTokens: row.prompt_tokens,
    cachedTokens: row.cached_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    completionTokens: row.completion_tokens,
    reasoningTokens: row.reasoning_tokens,
  };
  return {
    id,
    atMs: row.ended_at_ms,
    priceVersion: row.price_version,
    chargedNanos: BigInt(row.charged_nanos),
    answer: row.kind === "settle" ? { usage, upstream: row.upstream } : undefined,
  };
}
