import type { SettleEntry } from "../../vocabulary/ledger-entry.ts";
import { formatDollars } from "../../vocabulary/money.ts";

/** Adds what an answer cost to the head of its reply. The platform knows the whole receipt, under the request id. */
export function withReceipt(headers: Record<string, string>, entry: SettleEntry): Record<string, string> {
  headers["x-tollgate-cost"] = formatDollars(entry.amountNanos);
  headers["x-tollgate-provenance"] = entry.provenance;
  headers["x-tollgate-price-version"] = entry.priceVersion;
  return headers;
}

/** The same for the last chunk of a stream, whose head is long gone. */
export function receiptInChunk({ requestId, amountNanos, provenance, priceVersion }: SettleEntry): Record<string, unknown> {
  return { receipt: { request_id: requestId, cost: formatDollars(amountNanos), provenance, price_version: priceVersion } };
}
