import { expect, test } from "bun:test";
import type { Price, PriceList } from "../../../../platform-client/types.ts";
import { draftOf, EMPTY_DRAFT, EMPTY_PRICE, toBody, toChange } from "./price-list-draft.ts";

const RATES = {
  input_per_million: 1.5,
  output_per_million: 2,
  cached_input_per_million: 0.1,
  cache_write_per_million: 1.5,
  reasoning_per_million: 2,
};
const PREMIUM = { multipliers: { fast: 6 }, tool_fees: { web_search: 0.01 } };
const price = (effectiveAt: string, tiers: Price["tiers"] = []): Price => ({
  ...RATES,
  tiers,
  ...PREMIUM,
  version: effectiveAt,
  source: "operator",
  price_list: "p",
  effective_at: effectiveAt,
});
const INITIAL = "1970-01-01T00:00:00.000Z";
const LATER = "2027-07-01T00:00:00.000Z";
const TIER = { ...RATES, above_input_tokens: 1000 };

const LIST: PriceList = {
  id: "p",
  name: "P",
  percents: [
    { percent: 80, effective_at: INITIAL },
    { percent: 85, effective_at: LATER },
  ],
  models: { m: [price(INITIAL, [TIER]), price(LATER)] },
  unknown_models: [],
  accounts: 1,
  managed_by: "operator",
};

test("a list that is saved as it was opened stays the same, with its dates, rates and tiers", () => {
  expect(toBody(draftOf(LIST))).toEqual({
    name: "P",
    percents: [{ percent: 80 }, { percent: 85, effective: "2027-07-01" }],
    models: {
      m: {
        prices: [
          { ...RATES, ...PREMIUM, tiers: [TIER] },
          { ...RATES, ...PREMIUM, effective: "2027-07-01" },
        ],
      },
    },
  });
});

test("a change without percentages removes the previous percentages", () => {
  expect(toChange({ ...draftOf(LIST), percents: [] })).toMatchObject({ percent: null });
  expect(toChange(draftOf(LIST))).not.toHaveProperty("percent");
});

test("prices of the same model are ordered by date, and empty rates are omitted", () => {
  const typed = { ...EMPTY_PRICE, model: " m ", input_per_million: "1", output_per_million: "2" };
  const draft = { ...EMPTY_DRAFT, name: "N", percents: [], prices: [{ ...typed, effective: "2027-02-01" }, typed] };
  expect(toBody(draft)).toEqual({
    name: "N",
    models: {
      m: {
        prices: [
          { input_per_million: 1, output_per_million: 2 },
          { input_per_million: 1, output_per_million: 2, effective: "2027-02-01" },
        ],
      },
    },
  });
});
