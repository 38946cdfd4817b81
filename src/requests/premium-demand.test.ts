import { expect, test } from "bun:test";
import { PremiumDemand } from "./premium-demand.ts";

test("demands share nothing, and any number of tools takes linear time", () => {
  const demand = new PremiumDemand();
  for (let at = 0; at < 100_000; at++) demand.tool(`tool_${at}`, { isOptional: at % 2 === 1 });
  demand.multiplier("fast");
  expect([demand.toolCalls.size, demand.optionalTools.size, demand.multipliers.size]).toEqual([100_000, 50_000, 1]);
  expect(new PremiumDemand().isEmpty).toBe(true);
  const part = demand.withTools((tool) => tool === "tool_1");
  part.multiplier("flex");
  expect([[...part.toolCalls.keys()], [...part.optionalTools], [...part.multipliers], [...demand.multipliers]]).toEqual([
    ["tool_1"],
    ["tool_1"],
    ["fast", "flex"],
    ["fast"],
  ]);
});
