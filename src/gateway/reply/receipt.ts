import type { SettleEntry } from "../../money/ledger-entry.ts";
import { formatDollars } from "../../money/money.ts";

/**
 * Adds the charge to the headers of a reply and, for an estimated prompt with media, how it was estimated. The platform shows the whole
 * receipt, by request id.
 */
export function withReceipt(headers: Record<string, string>, entry: SettleEntry, promptDerivation?: string): Record<string, string> {
  headers["x-tollgate-cost"] = formatDollars(entry.amountNanos);
  headers["x-tollgate-provenance"] = entry.provenance;
  headers["x-tollgate-price-version"] = entry.priceVersion;
  if (promptDerivation !== undefined) headers["x-tollgate-prompt-derivation"] = promptDerivation;
  return headers;
}

/**
 * The same receipt for the last chunk of a stream: its headers were sent before the charge, and perhaps the fallback that responded, was
 * known.
 */
export function receiptInChunk(entry: SettleEntry, fallback: string | undefined, promptDerivation?: string): Record<string, unknown> {
  const { requestId, amountNanos, provenance, priceVersion } = entry;
  const receipt: Record<string, unknown> = {
    request_id: requestId,
    cost: formatDollars(amountNanos),
    provenance,
    price_version: priceVersion,
  };
  if (fallback !== undefined) receipt["model"] = fallback;
  if (promptDerivation !== undefined) receipt["prompt_derivation"] = promptDerivation;
  return { receipt };
}
