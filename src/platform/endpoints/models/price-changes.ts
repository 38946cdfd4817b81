import type { Pricing } from "../../../money/declared-price.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

export const priceChangeSchema = {
  title: "PriceChange",
  type: "object",
  required: ["at", "by", "declared"],
  properties: {
    at: timeSchema,
    by: { type: "string" },
    declared: { type: "object", description: "`free`, `price` or `prices`, as declared; empty for the provider's list prices." },
  },
} as const satisfies Schema;

/** More price changes than any model has. */
const MOST = 1000;

/** The history of a model's declared prices from the audit log, newest first. Changes by the config file are not included. */
export async function priceChangesOf(modelId: string, { auditLog }: Platform) {
  const changes = await auditLog.page({ targetKind: "model", targetId: modelId }, Number.MAX_SAFE_INTEGER, MOST);
  const changed = changes.filter(({ before, after }) => before === null || !Bun.deepEquals(pricingIn(before), pricingIn(after)));
  return changed.map(({ atMs, actorName, after }) => ({ at: viewTime(atMs), by: actorName, declared: pricingIn(after) }));
}

/** The part of a declaration that sets the price. */
export function pricingIn(declared: Pricing | object | null): Pricing {
  const { free, price, prices } = (declared ?? {}) as Pricing;
  return { ...(free !== undefined && { free }), ...(price && { price }), ...(prices && { prices }) };
}
