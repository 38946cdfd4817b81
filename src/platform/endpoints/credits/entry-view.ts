import type { Actor } from "../../../access/access.ts";
import type { ListedEntry } from "../../../money/ledger-entry.ts";
import { formatDollars } from "../../../money/money.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { usageSchema, usageToWire } from "../../../money/usage.ts";
import { attributionSchemas, viewAttributionOf } from "../fields/attribution.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

export const entrySchema = {
  title: "Entry",
  type: "object",
  required: ["kind", "account", "amount", "at", "actor", "reason"],
  properties: {
    number: { type: "integer", minimum: 1, description: "The sequence number within the account, from 1. Shown in lists." },
    id: { type: "integer", description: "The sequence number over all accounts. Shown to operators." },
    kind: { type: "string", enum: ["grant", "adjustment", "settle", "release"] },
    account: { type: "string" },
    amount: { type: "string", description: "The amount in dollars. For a settle it is the charge, without a sign." },
    at: timeSchema,
    actor: {
      type: "string",
      description: "The actor: a person, a token, or the calling key. Members see `operator` instead of a person or token.",
    },
    reason: { type: "string" },
    reference: { type: "string", description: "Your reference for a grant or an adjustment." },
    request_id: { type: "string" },
    key: { type: "string" },
    model: { type: "string" },
    ...attributionSchemas,
    price_version: { type: "string" },
    uncharged: { type: "string", description: "The part of the cost that was not charged, in dollars." },
    usage: usageSchema,
    provenance: { type: "string", enum: ["measured", "partial", "estimated"] },
    upstream: { type: "string", description: "The upstream that served the request. Shown to operators." },
    attempts: { type: "integer" },
  },
} as const satisfies Schema;

/**
 * A ledger entry as the API returns it. The upstream is shown to operators only, as on the model itself. Members see neither which
 * operator granted credit nor how many entries other accounts have.
 */
export function viewEntry(entry: ListedEntry, { role }: Pick<Actor, "role">) {
  const head = {
    ...(role === "operator" && { id: entry.id }),
    kind: entry.kind,
    account: entry.accountId,
    amount: formatDollars(entry.kind === "release" ? 0n : entry.amountNanos),
    at: viewTime(entry.atMs),
    actor: "reference" in entry && role !== "operator" ? "operator" : entry.actor,
    reason: entry.reason,
  };
  if ("reference" in entry) return { ...head, reference: entry.reference };
  const { requestId: request_id, keyId: key, model, priceVersion: price_version } = entry;
  const request = { ...head, request_id, key, model, ...viewAttributionOf(entry.attribution), price_version };
  if (entry.kind !== "settle") return request;
  const { unchargedNanos, usage, provenance, upstream, attempts } = entry;
  const served = { uncharged: formatDollars(unchargedNanos), usage: usageToWire(usage), provenance, attempts };
  return { ...request, ...served, ...(role === "operator" && { upstream }) };
}
