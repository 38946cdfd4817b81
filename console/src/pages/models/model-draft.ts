import type { CreateModelRequest, Price, ShownModel, UpdateModelRequest } from "../../platform/interface.ts";
import type { Capability } from "./format-model.ts";

/** A model while it is typed: all of it is text until it is sent, so that nothing is lost that the platform may refuse. */
export interface ModelDraft {
  readonly id: string;
  readonly ownedBy: string;
  readonly routes: readonly RouteDraft[];
  readonly pricing: Pricing;
  readonly price: PriceDraft;
  readonly contextWindow: string;
  readonly maxOutput: string;
  readonly capabilities: readonly Capability[];
}

/** How its price is found: as it is, by the provider's own list, not at all, or as typed. */
export type Pricing = "keep" | "default" | "free" | "set";

export interface RouteDraft {
  readonly key: number;
  readonly upstream: string | null;
  readonly model: string;
  readonly priority: string;
  readonly weight: string;
  /** Not shown in the form, and not lost by it. */
  readonly maxPrice?: RouteBody["max_price"];
  readonly inputCost: string;
  readonly outputCost: string;
  /** What the form does not show of the cost, and does not lose: rates that differ, tiers, its day. */
  readonly costBesides?: Partial<PriceBody>;
}

export const RATES = [
  "input_per_million",
  "output_per_million",
  "cached_input_per_million",
  "cache_write_per_million",
  "reasoning_per_million",
] as const;

export type PriceDraft = Readonly<Record<(typeof RATES)[number] | "effective", string>> & { readonly tiers: PriceBody["tiers"] };

type RouteBody = CreateModelRequest["routes"][number];
type PriceBody = NonNullable<CreateModelRequest["price"]>;

const EMPTY_PRICE: PriceDraft = {
  input_per_million: "",
  output_per_million: "",
  cached_input_per_million: "",
  cache_write_per_million: "",
  reasoning_per_million: "",
  effective: "",
  tiers: [],
};

let lastKey = 0;

export function emptyRoute(): RouteDraft {
  lastKey += 1;
  return { key: lastKey, upstream: null, model: "", priority: "", weight: "", inputCost: "", outputCost: "" };
}

export function emptyDraft(): ModelDraft {
  return {
    id: "",
    ownedBy: "",
    routes: [emptyRoute()],
    pricing: "default",
    price: EMPTY_PRICE,
    contextWindow: "",
    maxOutput: "",
    capabilities: [],
  };
}

export function draftOf(model: ShownModel): ModelDraft {
  return {
    id: model.id,
    ownedBy: model.owned_by,
    routes: (model.routes ?? []).map((route) => ({
      ...emptyRoute(),
      upstream: route.upstream,
      model: route.model,
      priority: String(route.priority),
      weight: String(route.weight),
      ...(route.max_price && { maxPrice: withoutNulls(route.max_price) }),
      ...(route.cost && costDraftOf(route.cost)),
    })),
    pricing: "keep",
    price: model.price ? { ...ratesAsText(model.price), effective: "", tiers: model.price.tiers } : EMPTY_PRICE,
    contextWindow: String(model.context_window ?? ""),
    maxOutput: String(model.max_output_tokens ?? ""),
    capabilities: model.capabilities,
  };
}

function costDraftOf(cost: Price): Pick<RouteDraft, "inputCost" | "outputCost" | "costBesides"> {
  const { input_per_million: inputCost, output_per_million: outputCost, ...others } = ratesAsText(cost);
  const differing = Object.entries(others).filter(([, text]) => text !== "");
  const { effective, tiers } = declaredAgain(cost);
  const besides = {
    ...Object.fromEntries(differing.map(([name, text]) => [name, figure(text)])),
    ...(effective !== undefined && { effective }),
  };
  return { inputCost, outputCost, costBesides: { ...besides, ...(tiers && { tiers }) } };
}

/** The rates as somebody would type them: what costs the same as what it is a kind of is left empty, and follows it when that is changed. */
function ratesAsText(price: Price): Record<(typeof RATES)[number], string> {
  const kindOf = {
    cached_input_per_million: "input_per_million",
    cache_write_per_million: "input_per_million",
    reasoning_per_million: "output_per_million",
  } as const;
  const text = (name: (typeof RATES)[number]): string =>
    name in kindOf && price[name] === price[kindOf[name as keyof typeof kindOf]] ? "" : String(price[name]);
  return Object.fromEntries(RATES.map((name) => [name, text(name)])) as Record<(typeof RATES)[number], string>;
}

function withoutNulls<T extends object>(of: T): { [Name in keyof T]: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null)) as { [Name in keyof T]: NonNullable<T[Name]> };
}

/** A number where one was typed. What is none is sent as it is: the platform says what is wrong with it. */
export function figure(text: string): number {
  const typed = text.trim().replaceAll(/(?<=\d),(?=\d{3}\b)/g, "");
  return /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : (text as unknown as number);
}

export function toCreate(draft: ModelDraft): CreateModelRequest {
  return {
    id: draft.id.trim(),
    ...(draft.ownedBy !== "" && { owned_by: draft.ownedBy }),
    routes: toRoutes(draft.routes),
    ...toPricing(draft),
    ...(draft.contextWindow !== "" && { context_window: figure(draft.contextWindow) }),
    ...(draft.maxOutput !== "" && { max_output_tokens: figure(draft.maxOutput) }),
    ...(draft.capabilities.length > 0 && { capabilities: draft.capabilities }),
  };
}

/** What was changed since the edit was begun, and nothing else: a change of somebody else meanwhile is not undone. A later price joins those that there are now. */
export function toUpdate(draft: ModelDraft, begun: ShownModel, now = begun): UpdateModelRequest {
  const before = draftOf(begun);
  const isOther = (name: keyof ModelDraft): boolean => JSON.stringify(plain(draft[name])) !== JSON.stringify(plain(before[name]));
  return {
    ...(isOther("ownedBy") && { owned_by: draft.ownedBy }),
    ...(isOther("routes") && { routes: toRoutes(draft.routes) }),
    ...(draft.pricing !== "keep" && toPricing(draft, now)),
    ...(isOther("contextWindow") && { context_window: draft.contextWindow === "" ? null : figure(draft.contextWindow) }),
    ...(isOther("maxOutput") && { max_output_tokens: draft.maxOutput === "" ? null : figure(draft.maxOutput) }),
    ...(isOther("capabilities") && { capabilities: draft.capabilities }),
  };
}

/** Without the keys, which are only for the list on the page. */
function plain(value: ModelDraft[keyof ModelDraft]): unknown {
  return Array.isArray(value) ? value.map((each: unknown) => (typeof each === "object" ? { ...each, key: 0 } : each)) : value;
}

function toRoutes(routes: readonly RouteDraft[]): RouteBody[] {
  return routes.map(({ upstream, model, priority, weight, maxPrice, inputCost, outputCost, costBesides }) => ({
    upstream: upstream ?? "",
    model: model.trim(),
    ...(priority !== "" && { priority: figure(priority) }),
    ...(weight !== "" && { weight: figure(weight) }),
    ...(maxPrice && { max_price: maxPrice }),
    ...((inputCost !== "" || outputCost !== "") && {
      cost: { ...costBesides, input_per_million: figure(inputCost), output_per_million: figure(outputCost) },
    }),
  }));
}

function toPricing({ pricing, price }: ModelDraft, model?: ShownModel): Pick<CreateModelRequest, "free" | "price" | "prices"> {
  if (pricing === "free") return { free: true };
  // Said of a model that has a price, it takes that away, and the provider's list counts.
  if (pricing === "default") return model ? { free: false } : {};
  const typed = toPrice(price);
  return price.effective !== "" && model ? { prices: withLater(typed, price.effective, model) } : { price: typed };
}

function toPrice(price: PriceDraft): PriceBody {
  const given = RATES.filter((name, at) => at < 2 || price[name] !== "").map((name) => [name, figure(price[name])]);
  return {
    ...(Object.fromEntries(given) as Pick<PriceBody, (typeof RATES)[number]>),
    ...(price.effective !== "" && { effective: price.effective }),
    ...(price.tiers && price.tiers.length > 0 && { tiers: price.tiers.map(toFigures) }),
  };
}

type Tier = NonNullable<PriceBody["tiers"]>[number];

/** What was typed of a tier stands in it as text until now. */
function toFigures(tier: Tier): Tier {
  return Object.fromEntries(Object.entries(tier).map(([name, value]) => [name, figure(String(value))])) as unknown as Tier;
}

/** A price of a later day stands after those that there are, which keep their days. One of the same day is replaced. */
function withLater(typed: PriceBody, effective: string, model: ShownModel): PriceBody[] {
  const there = [...(model.past_prices ?? []), ...(model.price ? [model.price] : []), ...model.coming_prices].map(declaredAgain);
  return [...there.filter((price) => price.effective !== effective), typed].toSorted((a, b) =>
    (a.effective ?? "") < (b.effective ?? "") ? -1 : 1,
  );
}

function declaredAgain(price: Price): PriceBody {
  const day = price.effective_at.slice(0, 10);
  const rates = Object.fromEntries(RATES.map((name) => [name, price[name]])) as Pick<PriceBody, (typeof RATES)[number]>;
  const { tiers } = price;
  return { ...rates, ...(Date.parse(price.effective_at) > 0 && { effective: day }), ...(tiers.length > 0 && { tiers }) };
}

/** Whether what a model costs would be another: then it is looked at before it is saved. */
export function changesPrice(body: UpdateModelRequest): boolean {
  return body.free !== undefined || body.price !== undefined || body.prices !== undefined;
}
