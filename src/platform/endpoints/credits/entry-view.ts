import type { Actor } from "../../../access/access.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import { formatDollars } from "../../../money/money.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { usageSchema, usageToWire } from "../../../money/usage.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

export const entrySchema: Schema = {
  title: "Entry",
  type: "object",
  required: ["kind", "account", "amount", "at", "actor", "reason"],
  properties: {
    number: { type: "integer", minimum: 1, description: "Counts the entries of its account: 1 is the first. Shown in lists." },
    id: { type: "integer", description: "Counts the entries of all accounts. Shown to operators." },
    kind: { type: "string", enum: ["grant", "adjustment", "settle", "release"] },
    account: { type: "string" },
    amount: { type: "string", description: "Dollars. Of a settle it is what was charged, without a sign." },
    at: timeSchema,
    actor: {
      type: "string",
      description: "Who did it: a person, a token, or the key that called. Members see `operator` for the first two.",
    },
    reason: { type: "string" },
    reference: { type: "string", description: "Of a grant or an adjustment: your own name for it." },
    request_id: { type: "string" },
    key: { type: "string" },
    model: { type: "string" },
    price_version: { type: "string" },
    uncharged: { type: "string", description: "What was spared, in dollars." },
    usage: usageSchema,
    provenance: { type: "string", enum: ["measured", "partial", "estimated"] },
    upstream: { type: "string", description: "Where it was served. Shown to operators." },
    attempts: { type: "integer" },
  },
};

/**
 * An entry of the ledger as the platform shows it. Where a model is served is for operators, as on the model itself; and members
 * see nobody but themselves, so not which operator gave them credit, nor how many entries the others have.
 */
export function viewEntry(entry: Entry, { role }: Pick<Actor, "role">): Record<string, unknown> {
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
  const request = { ...head, request_id: entry.requestId, key: entry.keyId, model: entry.model, price_version: entry.priceVersion };
  if (entry.kind !== "settle") return request;
  const { unchargedNanos, usage, provenance, upstream, attempts } = entry;
  const served = { uncharged: formatDollars(unchargedNanos), usage: usageToWire(usage), provenance, attempts };
  return { ...request, ...served, ...(role === "operator" && { upstream }) };
}
