import { expect, test } from "bun:test";
import { premiumTierOf, withTier } from "./service-tier.ts";

test("tiers at the usual rates are not premium", () => {
  for (const tier of [undefined, null, "", "auto", "default", "standard", "on_demand", 1, { tier: "priority" }]) {
    expect(premiumTierOf(tier)).toBeUndefined();
  }
  expect(["flex", "priority", "scale"].map(premiumTierOf)).toEqual(["flex", "priority", "scale"]);
});

test("a tier of any length is not stored", () => {
  expect(premiumTierOf("x".repeat(64))).toHaveLength(64);
  expect(premiumTierOf("x".repeat(65))).toBe("…");
});

test("most counts stay the same object", () => {
  const usage = { promptTokens: 5, completionTokens: 2, cachedTokens: 1, cacheWriteTokens: 0, reasoningTokens: 0 };
  expect(withTier(usage, undefined)).toBe(usage);
  expect(withTier(usage, "flex").premium).toEqual({ hourWriteTokens: 0, toolCalls: {}, multipliers: ["flex"] });
});
