import { NO_PREMIUM, type Usage } from "../money/usage.ts";

/** The service tiers at the usual rates, as OpenAI, Anthropic and Groq name them. */
const USUAL_TIERS: ReadonlySet<unknown> = new Set(["", "auto", "default", "standard", "on_demand"]);

/** Tiers are for receipts and alerts. An upstream may send any text. */
const MAX_CHARS = 64;

/** The service tier of a response, if it may multiply the rates. Undefined for most responses. */
export function premiumTierOf(tier: unknown): string | undefined {
  if (typeof tier !== "string" || USUAL_TIERS.has(tier)) return undefined;
  return tier.length <= MAX_CHARS ? tier : "…";
}

/** The counts of a response with this service tier. Returns the same object for most responses. */
export function withTier(usage: Usage, tier: string | undefined): Usage {
  return tier === undefined ? usage : { ...usage, premium: { ...NO_PREMIUM, multipliers: [tier] } };
}
