import type { Schema } from "../../lib/schema/schema.ts";
import type { LimitState, LimitStates } from "../../stores/limits/limit-store.ts";

const limitSchema: Schema = {
  title: "RateLimitHeadroom",
  type: "object",
  nullable: true,
  description: "The tighter of the key's and the account's limits; null where there is none.",
  required: ["limit", "remaining", "reset_ms"],
  properties: {
    limit: { type: "integer" },
    remaining: { type: "integer" },
    reset_ms: { type: "integer", description: "Milliseconds until the limit is fully replenished." },
  },
};

/** The state of the rate limits per minute. */
export const limitsSchema: Schema = {
  title: "RateLimitsHeadroom",
  type: "object",
  required: ["requests", "tokens"],
  properties: { requests: limitSchema, tokens: limitSchema },
};

export function viewLimits({ requests, tokens }: LimitStates): Record<"requests" | "tokens", Record<string, number> | null> {
  return { requests: viewLimit(requests), tokens: viewLimit(tokens) };
}

function viewLimit(state: LimitState | undefined): Record<string, number> | null {
  return state ? { limit: state.limit, remaining: state.remaining, reset_ms: Math.ceil(state.resetMs) } : null;
}
