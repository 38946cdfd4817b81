import type { SettleEntry } from "../../vocabulary/ledger-entry.ts";
import { formatDollars } from "../../vocabulary/money.ts";

/** What an answer cost, for the head of a reply. The platform knows the whole receipt, under the request id. */
export function receiptHeaders({ amountNanos, provenance, priceVersion }: SettleEntry): Record<string, string> {
  return {
    "x-tollgate-cost": formatDollars(amountNanos),
    "x-tollgate-provenance": provenance,
    "x-tollgate-price-version": priceVersion,
  };
}

/** The same for the last chunk of a stream, whose head is long gone. */
export function receiptInChunk({ requestId, amountNanos, provenance, priceVersion }: SettleEntry): Record<string, unknown> {
  return { receipt: { request_id: requestId, cost: formatDollars(amountNanos), provenance, price_version: priceVersion } };
}
