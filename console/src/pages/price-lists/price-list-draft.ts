import type { CreatePriceListRequest, Price, PriceList, UpdatePriceListRequest } from "../../../../platform-client/types.ts";

export const RATES = {
  input_per_million: "Input",
  output_per_million: "Output",
  cached_input_per_million: "Cached input",
  cache_write_per_million: "Cache write",
  cache_write_1h_per_million: "Cache write for 1 h",
  reasoning_per_million: "Reasoning",
} as const;

type RateName = keyof typeof RATES;
type Tiers = Price["tiers"];

/** A percentage in the form, as typed. */
export interface PercentDraft {
  readonly percent: string;
  /** Empty: from the start. */
  readonly effective: string;
}

/** A price of a model in the form. */
export interface PriceDraft extends Readonly<Record<RateName, string>> {
  readonly model: string;
  readonly effective: string;
  /** Kept unchanged: the form does not edit them. */
  readonly tiers: Tiers;
  readonly multipliers: Price["multipliers"];
  readonly tool_fees: Price["tool_fees"];
}

export interface PriceListDraft {
  readonly name: string;
  readonly percents: readonly PercentDraft[];
  readonly prices: readonly PriceDraft[];
}

export const EMPTY_PRICE: PriceDraft = {
  model: "",
  effective: "",
  input_per_million: "",
  output_per_million: "",
  cached_input_per_million: "",
  cache_write_per_million: "",
  cache_write_1h_per_million: "",
  reasoning_per_million: "",
  tiers: [],
  multipliers: {},
  tool_fees: {},
};

export const EMPTY_DRAFT: PriceListDraft = { name: "", percents: [{ percent: "100", effective: "" }], prices: [] };

export function draftOf({ name, percents, models }: PriceList): PriceListDraft {
  return {
    name,
    percents: percents.map(({ percent, effective_at: at }) => ({ percent: String(percent), effective: dayOf(at) })),
    prices: Object.entries(models).flatMap(([model, prices]) => prices.map((price) => draftOfPrice(model, price))),
  };
}

function draftOfPrice(model: string, price: Price): PriceDraft {
  const rates = Object.keys(RATES).map((name) => [name, String(price[name as RateName] ?? "")]);
  const { tiers, multipliers, tool_fees } = price;
  return {
    model,
    effective: dayOf(price.effective_at),
    tiers,
    multipliers,
    tool_fees,
    ...(Object.fromEntries(rates) as Record<RateName, string>),
  };
}

function dayOf(iso: string): string {
  return Date.parse(iso) === 0 ? "" : iso.slice(0, 10);
}

type Body = Omit<CreatePriceListRequest, "id">;

/** The request body. Several prices of the same model are its versions, by date. */
export function toBody({ name, percents, prices }: PriceListDraft): Body {
  const byModel = Map.groupBy(prices, ({ model }) => model.trim());
  const models = [...byModel].map(([model, versions]) => [model, { prices: byDate(versions).map(toPrice) }]);
  const dated = byDate(percents).map(({ percent, effective }) => ({ percent: Number(percent), ...(effective !== "" && { effective }) }));
  return {
    name,
    ...(dated.length > 0 && { percents: dated }),
    models: Object.fromEntries(models) as NonNullable<Body["models"]>,
  };
}

/** The body of an update. If it has no percentages, the previous percentages are removed. */
export function toChange(draft: PriceListDraft): UpdatePriceListRequest {
  return { ...toBody(draft), ...(draft.percents.length === 0 && { percent: null }) };
}

function byDate<T extends { readonly effective: string }>(drafts: readonly T[]): T[] {
  return drafts.toSorted((one, other) => (one.effective < other.effective ? -1 : 1));
}

function toPrice({
  model: _model,
  effective,
  tiers,
  multipliers,
  tool_fees,
  ...rates
}: PriceDraft): NonNullable<NonNullable<Body["models"]>[string]["prices"]>[number] {
  const given = Object.entries(rates).filter(([, text]) => text.trim() !== "");
  const numbers = Object.fromEntries(given.map(([name, text]) => [name, Number(text)])) as Record<RateName, number>;
  return {
    ...numbers,
    ...(effective !== "" && { effective }),
    ...(tiers.length > 0 && { tiers }),
    ...(Object.keys(multipliers).length > 0 && { multipliers }),
    ...(Object.keys(tool_fees).length > 0 && { tool_fees }),
  };
}
