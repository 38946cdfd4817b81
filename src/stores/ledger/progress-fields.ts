import type { Progress } from "./ledger-store.ts";

/**
 * Progress as JSON, without the cost, which is stored in a separate column. Amounts are text, because they may exceed what a JSON number
 * can hold.
 */
export type ProgressFields = Omit<Progress, "costNanos" | "upstreamCostNanos"> & { readonly upstreamCost?: string };

export function toProgressFields({
  usage,
  provenance,
  upstream,
  upstreamModel,
  costVersion,
  upstreamCostNanos,
  servedBy,
}: Progress): ProgressFields {
  const fields = { usage, provenance, upstream, upstreamModel, costVersion, servedBy };
  return upstreamCostNanos === undefined ? fields : { ...fields, upstreamCost: String(upstreamCostNanos) };
}

export function fromProgressFields(costNanos: string, { upstreamCost, ...progress }: ProgressFields): Progress {
  const known = { ...progress, costNanos: BigInt(costNanos) };
  return upstreamCost === undefined ? known : { ...known, upstreamCostNanos: BigInt(upstreamCost) };
}
