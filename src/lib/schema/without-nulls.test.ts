import { expect, test } from "bun:test";
import { toModel } from "../../models/declared-model.ts";
import { withoutNulls, type WithoutNulls } from "./without-nulls.ts";

test("omits null fields at any depth, and nothing else", () => {
  const given = { a: null, b: 0, c: "", d: false, e: [{ f: null, g: [1] }], h: { i: null } };
  expect(withoutNulls(given)).toEqual({ b: 0, c: "", d: false, e: [{ g: [1] }], h: {} } as unknown as WithoutNulls<typeof given>);
});

test("a null rate falls back to the rate of its kind, not to zero", () => {
  const price = { input_per_million: 3, output_per_million: 15, cached_input_per_million: null };
  const declared = withoutNulls({ id: "m", routes: [{ upstream: "u", model: "m" }], price });
  const context = { createdSeconds: 0, state: { name: "available" }, defaultPrices: () => [] } as const;
  const { prices } = toModel(declared, context, (path, message) => {
    throw new Error(`${path.join(".")} ${message}`);
  });
  expect(prices[0]!.rates.cachedInputPicos).toBe(3_000_000n);
});
