import type { Entry } from "../../vocabulary/ledger-entry.ts";
import { formatDollars } from "../../vocabulary/money.ts";
import { usageToWire } from "../../vocabulary/usage.ts";

/** An entry of the ledger as the platform shows it. */
export function viewEntry(entry: Entry): Record<string, unknown> {
  const head = {
    id: entry.id,
    kind: entry.kind,
    account: entry.accountId,
    amount: formatDollars(entry.kind === "release" ? 0n : entry.amountNanos),
    at: new Date(entry.atMs).toISOString(),
    actor: entry.actor,
    reason: entry.reason,
  };
  if ("reference" in entry) return { ...head, reference: entry.reference };
  const request = { ...head, request_id: entry.requestId, key: entry.keyId, model: entry.model, price_version: entry.priceVersion };
  if (entry.kind !== "settle") return request;
  const { unchargedNanos, usage, provenance, upstream, attempts } = entry;
  return { ...request, uncharged: formatDollars(unchargedNanos), usage: usageToWire(usage), provenance, upstream, attempts };
}
