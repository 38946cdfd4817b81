import { byName, WINDOW_LIMITS, type WindowLimit } from "../../../../src/money/limits.ts";
import type { CreateModelRequest, Model, Price, ShownModel, UpdateModelRequest } from "../../../../platform-client/types.ts";
import { editedHeaders, headersDraftOf, type HeaderDraft } from "../../parts/inputs/headers-draft.ts";
import type { Capability } from "./format-model.ts";
import { editedHandling, handlingDraftOf, type HandlingDraft } from "./handling/handling-draft.ts";

/** A model in the form. Every field is text until it is sent, so that invalid input reaches the server, which returns an error message. */
export interface ModelDraft {
  readonly id: string;
  readonly ownedBy: string;
  /** Account IDs separated by commas; empty for every account. */
  readonly accounts: string;
  readonly routes: readonly RouteDraft[];
  readonly pricing: Pricing;
  readonly price: PriceDraft;
  readonly kind: Model["kind"];
  readonly contextWindow: string;
  readonly maxOutput: string;
  readonly capabilities: readonly Capability[];
  readonly handling: HandlingDraft;
}

/** Where the price comes from: unchanged, the provider's list price, free, or the rates in the form. */
export type Pricing = "keep" | "default" | "free" | "set";

export interface RouteDraft {
  readonly key: number;
  readonly upstream: string | null;
  readonly model: string;
  readonly priority: string;
  readonly weight: string;
  /** The price cap; empty for none. */
  readonly maxInputPrice: string;
  readonly maxOutputPrice: string;
  /** A JSON object; empty for none. */
  readonly defaults: string;
  readonly limits: Readonly<Record<WindowLimit["name"], string>>;
  readonly headers: readonly HeaderDraft[];
  /** The names of the route's stored headers. */
  readonly storedHeaders: readonly string[];
  readonly inputCost: string;
  readonly outputCost: string;
  /** The parts of the cost without a field in the form (other rates, tiers, effective date); sent back unchanged. */
  readonly otherCost?: Partial<PriceBody>;
}

export const RATES = [
  "input_per_million",
  "output_per_million",
  "cached_input_per_million",
  "cache_write_per_million",
  "cache_write_1h_per_million",
  "reasoning_per_million",
] as const;

/** The rates of a price, as far as models of a kind have such tokens. */
export function ratesOf(kind: Model["kind"]): readonly (typeof RATES)[number][] {
  return kind === "embedding" ? ["input_per_million"] : RATES;
}

export function isRequiredRate(name: (typeof RATES)[number]): boolean {
  return name === "input_per_million" || name === "output_per_million";
}

/** The form has no fields for multipliers and fees of tools: they are sent back unchanged. */
export type PriceDraft = Readonly<Record<(typeof RATES)[number] | "effective", string>> & Premium & { readonly tiers: PriceBody["tiers"] };

type RouteBody = CreateModelRequest["routes"][number];
type PriceBody = NonNullable<CreateModelRequest["price"]>;

const EMPTY_PRICE: PriceDraft = {
  input_per_million: "",
  output_per_million: "",
  cached_input_per_million: "",
  cache_write_per_million: "",
  cache_write_1h_per_million: "",
  reasoning_per_million: "",
  effective: "",
  tiers: [],
};

let lastKey = 0;

export function emptyRoute(): RouteDraft {
  lastKey += 1;
  return {
    key: lastKey,
    upstream: null,
    model: "",
    priority: "",
    weight: "",
    maxInputPrice: "",
    maxOutputPrice: "",
    inputCost: "",
    outputCost: "",
    defaults: "",
    limits: byName(WINDOW_LIMITS, () => ""),
    headers: [],
    storedHeaders: [],
  };
}

export function emptyDraft(): ModelDraft {
  return {
    id: "",
    ownedBy: "",
    accounts: "",
    routes: [emptyRoute()],
    pricing: "default",
    price: EMPTY_PRICE,
    kind: "chat",
    contextWindow: "",
    maxOutput: "",
    capabilities: [],
    handling: handlingDraftOf(),
  };
}

export function draftOf(model: ShownModel): ModelDraft {
  return {
    id: model.id,
    ownedBy: model.owned_by,
    accounts: (model.accounts ?? []).join(", "),
    routes: (model.routes ?? []).map((route) => ({
      ...emptyRoute(),
      upstream: route.upstream,
      model: route.model,
      priority: String(route.priority),
      weight: String(route.weight),
      maxInputPrice: String(route.max_price?.input_per_million ?? ""),
      maxOutputPrice: String(route.max_price?.output_per_million ?? ""),
      defaults: Object.keys(route.defaults).length === 0 ? "" : JSON.stringify(route.defaults),
      limits: byName(WINDOW_LIMITS, (at) => String(route.limits?.[WINDOW_LIMITS[at]!.name] ?? "")),
      headers: headersDraftOf(route.headers),
      storedHeaders: route.headers,
      ...(route.cost && costDraftOf(route.cost)),
    })),
    pricing: "keep",
    price: model.price ? { ...ratesAsText(model.price), effective: "", tiers: model.price.tiers, ...premiumOf(model.price) } : EMPTY_PRICE,
    kind: model.kind,
    contextWindow: String(model.context_window ?? ""),
    maxOutput: String(model.max_output_tokens ?? ""),
    capabilities: model.capabilities,
    handling: handlingDraftOf(model),
  };
}

function costDraftOf(cost: Price): Pick<RouteDraft, "inputCost" | "outputCost" | "otherCost"> {
  const { input_per_million: inputCost, output_per_million: outputCost, ...others } = ratesAsText(cost);
  const differing = Object.entries(others).filter(([, text]) => text !== "");
  const { effective, tiers } = toPriceBody(cost);
  const otherCost = {
    ...Object.fromEntries(differing.map(([name, text]) => [name, parseNumber(text)])),
    ...(effective !== undefined && { effective }),
  };
  return { inputCost, outputCost, otherCost: { ...otherCost, ...(tiers && { tiers }), ...premiumOf(cost) } };
}

/** The rates as text. A rate that is equal to its default rate stays empty, so that it follows a change of the default. */
function ratesAsText(price: Price): Record<(typeof RATES)[number], string> {
  const defaultsTo = {
    cached_input_per_million: "input_per_million",
    cache_write_per_million: "input_per_million",
    reasoning_per_million: "output_per_million",
  } as const;
  const text = (name: (typeof RATES)[number]): string =>
    name in defaultsTo && price[name] === price[defaultsTo[name as keyof typeof defaultsTo]] ? "" : String(price[name] ?? "");
  return Object.fromEntries(RATES.map((name) => [name, text(name)])) as Record<(typeof RATES)[number], string>;
}

/** Parses a number. Other text is sent unchanged, and the server returns the error message. */
export function parseNumber(text: string): number {
  const typed = text.trim().replaceAll(/(?<=\d),(?=\d{3}\b)/g, "");
  return /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : (text as unknown as number);
}

/** Parses a JSON object. Other text is sent unchanged, and the server returns the error message. */
function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return text as unknown as Record<string, unknown>;
  }
}

export function toCreate(draft: ModelDraft): CreateModelRequest {
  return {
    id: draft.id.trim(),
    ...(draft.ownedBy !== "" && { owned_by: draft.ownedBy }),
    ...(toAccounts(draft) && { accounts: toAccounts(draft) }),
    routes: toRoutes(draft),
    ...toPricing(draft),
    ...(draft.kind !== "chat" && { kind: draft.kind }),
    ...(draft.contextWindow !== "" && { context_window: parseNumber(draft.contextWindow) }),
    ...(draft.maxOutput !== "" && { max_output_tokens: parseNumber(draft.maxOutput) }),
    ...(draft.capabilities.length > 0 && { capabilities: draft.capabilities }),
    ...editedHandling(draft.handling, handlingDraftOf()),
  };
}

/**
 * Only the fields that were edited, so that a concurrent change of other fields is not undone. A scheduled price is added to the current
 * prices.
 */
export function toUpdate(draft: ModelDraft, initial: ShownModel, now = initial): UpdateModelRequest {
  const before = draftOf(initial);
  const isEdited = (name: keyof ModelDraft): boolean => JSON.stringify(plain(draft[name])) !== JSON.stringify(plain(before[name]));
  return {
    ...(isEdited("ownedBy") && { owned_by: draft.ownedBy }),
    ...(isEdited("accounts") && { accounts: toAccounts(draft) }),
    ...(isEdited("routes") && { routes: toRoutes(draft) }),
    ...(draft.pricing !== "keep" && toPricing(draft, now)),
    ...(isEdited("kind") && { kind: draft.kind }),
    ...(isEdited("contextWindow") && { context_window: draft.contextWindow === "" ? null : parseNumber(draft.contextWindow) }),
    ...(isEdited("maxOutput") && { max_output_tokens: draft.maxOutput === "" ? null : parseNumber(draft.maxOutput) }),
    ...(isEdited("capabilities") && { capabilities: draft.capabilities }),
    ...editedHandling(draft.handling, before.handling),
  };
}

/** Null for every account. */
function toAccounts({ accounts }: ModelDraft): readonly string[] | null {
  const ids = accounts.split(/[\s,]+/).filter((id) => id !== "");
  return ids.length === 0 ? null : ids;
}

/** Without the React keys. */
function plain(value: ModelDraft[keyof ModelDraft]): unknown {
  return Array.isArray(value) ? value.map((each: unknown) => (typeof each === "object" ? { ...each, key: 0 } : each)) : value;
}

function toLimits({ limits }: RouteDraft): Pick<RouteBody, "limits"> {
  const typed = Object.entries(limits).filter(([, text]) => text !== "");
  return typed.length === 0 ? {} : { limits: Object.fromEntries(typed.map(([name, text]) => [name, parseNumber(text)])) };
}

function toRoutes({ routes, kind }: ModelDraft): RouteBody[] {
  return routes.map((route) => ({
    ...toPlace(route),
    ...toLimits(route),
    ...toTerms(route, kind),
    ...editedHeaders(route.headers, route.storedHeaders),
  }));
}

function toPlace({ upstream, model, priority, weight }: RouteDraft): Pick<RouteBody, "upstream" | "model" | "priority" | "weight"> {
  return {
    upstream: upstream ?? "",
    model: model.trim(),
    ...(priority !== "" && { priority: parseNumber(priority) }),
    ...(weight !== "" && { weight: parseNumber(weight) }),
  };
}

type Terms = Pick<RouteBody, "max_price" | "defaults" | "cost">;

function toTerms({ maxInputPrice, maxOutputPrice, inputCost, outputCost, otherCost, defaults }: RouteDraft, kind: Model["kind"]): Terms {
  return {
    ...((maxInputPrice !== "" || maxOutputPrice !== "") && {
      max_price: {
        ...(maxInputPrice !== "" && { input_per_million: parseNumber(maxInputPrice) }),
        ...(maxOutputPrice !== "" && { output_per_million: parseNumber(maxOutputPrice) }),
      },
    }),
    ...(defaults.trim() !== "" && { defaults: parseObject(defaults) }),
    ...((inputCost !== "" || outputCost !== "") && {
      cost: {
        ...otherCost,
        input_per_million: parseNumber(inputCost),
        ...((kind === "chat" || outputCost !== "") && { output_per_million: parseNumber(outputCost) }),
      },
    }),
  };
}

function toPricing({ pricing, price, kind }: ModelDraft, model?: ShownModel): Pick<CreateModelRequest, "free" | "price" | "prices"> {
  if (pricing === "free") return { free: true };
  // `free: false` removes a custom price, so that the provider's list price applies.
  if (pricing === "default") return model ? { free: false } : {};
  const typed = toPrice(price, kind);
  return price.effective !== "" && model ? { prices: withScheduled(typed, price.effective, model) } : { price: typed };
}

function toPrice(price: PriceDraft, kind: Model["kind"]): PriceBody {
  const typed = ratesOf(kind).filter((name) => isRequiredRate(name) || price[name] !== "");
  const given = typed.map((name) => [name, parseNumber(price[name])]);
  return {
    ...(Object.fromEntries(given) as Pick<PriceBody, (typeof RATES)[number]>),
    ...(price.effective !== "" && { effective: price.effective }),
    ...(price.tiers && price.tiers.length > 0 && { tiers: price.tiers.map(parseTier) }),
    ...premiumOf(price),
  };
}

type Tier = NonNullable<PriceBody["tiers"]>[number];

/** The fields of a tier are text until they are sent. */
function parseTier(tier: Tier): Tier {
  return Object.fromEntries(Object.entries(tier).map(([name, value]) => [name, parseNumber(String(value))])) as unknown as Tier;
}

/** Adds a scheduled price to the existing ones, which keep their dates. A price with the same date is replaced. */
function withScheduled(typed: PriceBody, effective: string, model: ShownModel): PriceBody[] {
  const existing = [...(model.past_prices ?? []), ...(model.price ? [model.price] : []), ...model.upcoming_prices].map(toPriceBody);
  return [...existing.filter((price) => price.effective !== effective), typed].toSorted((a, b) =>
    (a.effective ?? "") < (b.effective ?? "") ? -1 : 1,
  );
}

function toPriceBody(price: Price): PriceBody {
  const day = price.effective_at.slice(0, 10);
  const given = RATES.filter((name) => price[name] !== undefined);
  const rates = Object.fromEntries(given.map((name) => [name, price[name]])) as Pick<PriceBody, (typeof RATES)[number]>;
  const { tiers } = price;
  return {
    ...rates,
    ...premiumOf(price),
    ...(Date.parse(price.effective_at) > 0 && { effective: day }),
    ...(tiers.length > 0 && { tiers }),
  };
}

type Premium = Pick<PriceBody, "multipliers" | "tool_fees">;

/** The multipliers and the fees of tools, if there are any. */
function premiumOf({ multipliers = {}, tool_fees = {} }: Premium): Premium {
  return { ...(Object.keys(multipliers).length > 0 && { multipliers }), ...(Object.keys(tool_fees).length > 0 && { tool_fees }) };
}

/** Whether the update changes the price or the accounts. Such an update is previewed before it is saved. */
export function needsPreview(body: UpdateModelRequest): boolean {
  return body.accounts !== undefined || body.free !== undefined || body.price !== undefined || body.prices !== undefined;
}
