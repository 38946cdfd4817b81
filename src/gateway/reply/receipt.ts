import type { SettleEntry } from "../../money/ledger-entry.ts";
import { formatDollars } from "../../money/money.ts";

/**
 * Adds the charge to the headers of a reply, and how the prompt was estimated, where it was and has media. The platform has the whole
 * receipt, by request id.
 */
export function withReceipt(headers: Record<string, string>, entry: SettleEntry, promptDerivation?: string): Record<string, string> {
  headers["x-tollgate-cost"] = formatDollars(entry.amountNanos);
  headers["x-tollgate-provenance"] = entry.provenance;
  headers["x-tollgate-price-version"] = entry.priceVersion;
  if (promptDerivation !== undefined) headers["x-tollgate-prompt-derivation"] = promptDerivation;
  return headers;
}

/** The same for the last chunk of a stream, whose headers were sent before the charge was known. */
export function receiptInChunk(entry: SettleEntry, promptDerivation?: string): Record<string, unknown> {
  const { requestId, amountNanos, provenance, priceVersion } = entry;
  const receipt = { request_id: requestId, cost: formatDollars(amountNanos), provenance, price_version: priceVersion };
  return { receipt: promptDerivation === undefined ? receipt : { ...receipt, prompt_derivation: promptDerivation } };
}
