import { QUARTER_MS } from "../../../lib/time/calendar.ts";
import { countByScan, type ChunkReader } from "./chunk-scan.ts";
import type { RequestCount, RequestFilter, RequestLogStore } from "../request-log-store.ts";

/** After all requests, at a quarter hour. */
const END_MS = Date.parse("9999-12-31");

/**
 * Counts requests. Sums by quarter hour have them by account and model, so only the rest of a span, at either end, is read. Other filters
 * read the requests, up to a limit.
 */
export async function countRequests(
  filter: RequestFilter,
  statistics: RequestLogStore["statistics"],
  reader: ChunkReader,
): Promise<RequestCount> {
  const { accountId, model, fromMs = 0, toMs = END_MS, ...others } = filter;
  const firstMs = Math.ceil(fromMs / QUARTER_MS) * QUARTER_MS;
  const lastMs = Math.floor(Math.min(toMs, END_MS) / QUARTER_MS) * QUARTER_MS;
  const isSummed = Object.values(others).every((value) => value === undefined || (Array.isArray(value) && value.length === 0));
  if (!isSummed || firstMs >= lastMs) return countByScan(reader, filter);
  const { total } = await statistics({ bounds: [firstMs, lastMs], accountId, model });
  const ends = [
    ...(fromMs < firstMs ? [{ ...filter, toMs: firstMs }] : []),
    ...(toMs > lastMs && toMs < END_MS ? [{ ...filter, fromMs: lastMs }] : []),
  ];
  const counts = await Promise.all(ends.map((end) => countByScan(reader, end)));
  return {
    count: counts.reduce((sum, { count }) => sum + count, total.requests),
    isExact: counts.every(({ isExact }) => isExact),
  };
}
