import type { Model, Price, PriceTier, ResponseCacheOrNull, Route } from "../../../../platform-client/types.ts";
import type { Exclusion } from "../../../models/route-exclusion.ts";
import { formatDetails } from "../../format-details.ts";
import { formatDay, formatRate, formatTime, managedBy } from "../../format-values.ts";
import { describeTimeouts } from "../upstreams/format-upstream.ts";

export function describeModel(model: Model): string {
  return formatDetails([
    ["Model", model.id],
    ["State", describeState(model)],
    ["Owner", model.owned_by],
    ...(model.managed_by === undefined ? [] : [["Managed by", managedBy(model.managed_by)]]),
    ...(model.routes ?? []).map((route, at) => [at === 0 ? "Served by" : "", describeRoute(route)]),
    ["Price", model.price ? describeFully(model.price) : "none: it is refused until it has one"],
    ...(model.price?.tiers ?? []).map((tier) => [
      "",
      `above ${tier.above_input_tokens.toLocaleString("en-US")} tokens of input: ${describeRates(tier)}`,
    ]),
    ...model.coming_prices.map((price) => ["", `from ${formatDay(price.effective_at)} on: ${describeFully(price)}`]),
    ["Context", model.context_window === null ? "not known" : `${model.context_window.toLocaleString("en-US")} tokens`],
    [
      "Answers",
      model.max_output_tokens === null
        ? "as long as the upstream lets them be"
        : `${model.max_output_tokens.toLocaleString("en-US")} tokens at most`,
    ],
    ["Can do", model.capabilities.join(", ") || "not said"],
    ...describeHandling(model),
  ]);
}

type Rates = Omit<PriceTier, "above_input_tokens">;

/** How its calls are handled, as far as it was said for this model. */
function describeHandling({ parameters = {}, unknown_parameters: unknown, timeouts = {}, sticky, cache }: Model): string[][] {
  const handled = Object.entries(parameters).map(([name, handling]) =>
    typeof handling === "string" ? `${name}: ${handling}` : `${name}: as ${handling.rename}`,
  );
  return [
    ...(handled.length === 0 ? [] : [["Parameters", handled.join(", ")]]),
    ...(unknown == null ? [] : [["Unknown parameters", unknown]]),
    ...(Object.keys(timeouts).length === 0 ? [] : [["Waits", describeTimeouts(timeouts)]]),
    ...(sticky == null ? [] : [["Talks", sticky ? "stay at one upstream" : "may move from one upstream to another"]]),
    ...(cache ? [["Cache", describeCache(cache as Required<NonNullable<ResponseCacheOrNull>>)]] : []),
  ];
}

function describeCache({ ttl_seconds: ttl, price_percent: percent }: Required<NonNullable<ResponseCacheOrNull>>): string {
  return `answers are kept for ${formatSeconds(ttl)}, and cost ${percent} % then`;
}

function formatSeconds(seconds: number): string {
  const units = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "m"],
  ] as const;
  const [size, unit] = units.find(([each]) => seconds % each === 0) ?? [1, " s"];
  return `${seconds / size}${unit}`;
}

/** Why a route is left out for its weight or its price. */
export const OMITTED: Readonly<Record<Exclusion, string>> = {
  drained: "drained: it gets no calls",
  too_dear: "not used: its price is above its max_price",
  price_unknown: "never used: its price is not known",
};

function describeRoute({ upstream, model, priority, weight, max_price: most, cost, left_out: problem }: Route): string {
  const bounds = [
    ["input", most?.input_per_million],
    ["output", most?.output_per_million],
  ] as const;
  const capped = bounds.flatMap(([kind, bound]) => (bound == null ? [] : [`${formatRate(bound)} ${kind} at most`]));
  const ranked = [...(priority === 1 ? [] : [`priority ${priority}`]), ...(weight === 1 ? [] : [`weight ${weight}`])];
  const costs = cost ? [`costs ${describeCost(cost)}`] : [];
  return [`${upstream}/${model}`, ...ranked, ...capped, ...costs, ...(problem ? [OMITTED[problem]] : [])].join(", ");
}

function describeCost(cost: Price): string {
  const tiers = cost.tiers.map(
    (tier) => `; above ${tier.above_input_tokens.toLocaleString("en-US")} tokens of input ${describeRates(tier)}`,
  );
  const since = Date.parse(cost.effective_at) > 0 ? `, from ${formatDay(cost.effective_at)} on` : "";
  return `${isFree(cost) ? "nothing" : describeRates(cost)}${tiers.join("")}${since}`;
}

function describeState(model: Model): string {
  const { state, shutdown_date: day, replacement } = model;
  if (state === "available") return "available";
  if (state === "retired") return `retired${movedBy(model.retired_at, model.retired_by)}; use ${replacement}`;
  return `deprecated${movedBy(model.deprecated_at, model.deprecated_by)}; to be retired on ${day}; use ${replacement}`;
}

function movedBy(at: string | null, who: string | null | undefined): string {
  return `${at === null ? "" : ` since ${formatTime(at)} UTC`}${who ? `, by ${who}` : ""}`;
}

export function describeRoutes({ routes = [] }: Model): string {
  return routes.map((route) => `${route.upstream}/${route.model}`).join(", ");
}

/** In and out, which is what one compares. */
export function summarizePrice(price: Price | null): string {
  if (!price) return "none: refused";
  if (isFree(price)) return "free";
  const more = price.tiers.length === 0 ? "" : " (tiers)";
  return `${formatRate(price.input_per_million)} / ${formatRate(price.output_per_million)}${more}`;
}

function describeFully(price: Price): string {
  return isFree(price) ? "free" : describeRates(price);
}

/** For a million tokens. Kinds that cost what they are a kind of go without saying. */
function describeRates(rates: Rates): string {
  const { input_per_million: input, output_per_million: output } = rates;
  const others = [
    ["cached input", rates.cached_input_per_million, input],
    ["cache write", rates.cache_write_per_million, input],
    ["reasoning", rates.reasoning_per_million, output],
  ] as const;
  const special = others.filter(([, own, usual]) => own !== usual).map(([kind, own]) => `, ${formatRate(own)} ${kind}`);
  return `${formatRate(input)} input, ${formatRate(output)} output${special.join("")}, for a million tokens`;
}

function isFree(price: Price): boolean {
  const rates = [
    price.input_per_million,
    price.cached_input_per_million,
    price.cache_write_per_million,
    price.output_per_million,
    price.reasoning_per_million,
  ];
  return price.tiers.length === 0 && rates.every((each) => each === 0);
}
