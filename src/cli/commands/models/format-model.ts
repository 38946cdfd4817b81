import type { Model, Price, PriceTier, ResponseCacheOrNull, Route } from "../../../../platform-client/types.ts";
import { WINDOW_LIMITS } from "../../../money/limits.ts";
import type { Exclusion } from "../../../models/route-exclusion.ts";
import { formatDetails } from "../../format/format-details.ts";
import { formatDay, formatNumber, formatRate, formatTime, managedBy } from "../../format/format-values.ts";
import { describeTimeouts } from "../upstreams/format-upstream.ts";
import { summarizeList } from "../../../lib/text/summarize-list.ts";
import { TOLLGATE } from "../../../lib/this-program.ts";

export function describeModel(model: Model): string {
  return formatDetails([
    ["Model", model.id],
    ["State", describeState(model)],
    ["Owner", model.owned_by],
    ...(model.managed_by === undefined ? [] : [["Managed by", managedBy(model.managed_by)]]),
    ...(model.accounts == null ? [] : [["Accounts", model.accounts.join(", ")]]),
    ...(model.expanded_from == null ? [] : [["Wildcard model", model.expanded_from]]),
    ...(model.expands_to == null ? [] : [["Stands for", summarizeList(model.expands_to) || "no model yet"]]),
    ...(model.routes ?? []).map((route, at) => [at === 0 ? "Routes" : "", describeRoute(route)]),
    ["Price", model.price ? describeFully(model.price) : withoutPrice(model)],
    ...(model.price?.tiers ?? []).map((tier) => [
      "",
      `above ${formatNumber(tier.above_input_tokens)} input tokens: ${describeRates(tier)}`,
    ]),
    ...model.upcoming_prices.map((price) => ["", `from ${formatDay(price.effective_at)}: ${describeFully(price)}`]),
    ...(model.kind === "chat" ? [] : [["Kind", model.kind]]),
    ["Context window", model.context_window === null ? "unknown" : `${formatNumber(model.context_window)} tokens`],
    ["Max output tokens", model.max_output_tokens === null ? "set by the upstream" : formatNumber(model.max_output_tokens)],
    ["Capabilities", model.capabilities.join(", ") || "not declared"],
    ...describeHandling(model),
  ]);
}

function withoutPrice(model: Model): string {
  return model.expands_to == null
    ? `none: requests are rejected until it has one${priceAdvice(model)}`
    : "the published price of each model";
}

/** How the caller can set a price. Members cannot. */
function priceAdvice({ id, kind, managed_by: manager }: Model): string {
  if (manager === undefined) return "";
  if (manager !== "operator") return ". Declare it in the config file with a price, or free: true";
  return `. Set one: ${TOLLGATE} models update ${id} --input-price 0.10${kind === "chat" ? " --output-price 0.40" : ""}, or --free yes`;
}

type Rates = Omit<PriceTier, "above_input_tokens">;

/** The request handling that is set for this model. */
function describeHandling({
  parameters = {},
  unknown_parameters: unknown,
  timeouts = {},
  sticky,
  selection = "weighted",
  cache,
  mirror,
  fallback_models: fallbacks = [],
}: Model): string[][] {
  const handled = Object.entries(parameters).map(([name, handling]) =>
    typeof handling === "string" ? `${name}: ${handling}` : `${name}: rename to ${handling.rename}`,
  );
  return [
    ...(handled.length === 0 ? [] : [["Parameters", handled.join(", ")]]),
    ...(unknown == null ? [] : [["Unknown parameters", unknown]]),
    ...(Object.keys(timeouts).length === 0 ? [] : [["Timeouts", describeTimeouts(timeouts)]]),
    ...(sticky == null ? [] : [["Session affinity", sticky ? "on" : "off"]]),
    ...(selection === "weighted" ? [] : [["Selection", selection]]),
    ...(cache ? [["Response cache", describeCache(cache)]] : []),
    ...(mirror ? [["Mirror", `${mirror.upstream}/${mirror.model}, ${mirror.percent} % of the requests`]] : []),
    ...fallbacks.map(({ model, on }, at) => [at === 0 ? "Fallback models" : "", `${model}, on ${on.join(", ")}`]),
  ];
}

function describeCache({ ttl_seconds: ttl, price_percent: percent }: NonNullable<ResponseCacheOrNull>): string {
  return `TTL ${formatSeconds(ttl)}, at ${percent} % of the price`;
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

/** Why a route is excluded by its weight or its price. */
export const EXCLUSIONS: Readonly<Record<Exclusion, string>> = {
  drained: "drained: it receives no traffic",
  over_price_cap: "excluded: over its price cap",
  price_unknown: "excluded: it has a price cap, and its price is unknown",
};

function describeRoute({
  upstream,
  model,
  priority,
  weight,
  max_price: most,
  cost,
  defaults,
  headers,
  limits,
  excluded: problem,
}: Route): string {
  const bounds = [
    ["input", most?.input_per_million],
    ["output", most?.output_per_million],
  ] as const;
  const capped = bounds.flatMap(([kind, bound]) => (bound == null ? [] : [`${kind} price cap ${formatRate(bound)}`]));
  const ranked = [...(priority === 1 ? [] : [`priority ${priority}`]), ...(weight === 1 ? [] : [`weight ${weight}`])];
  const costs = cost ? [`cost ${describeCost(cost)}`] : [];
  const described = [
    ...Object.entries(defaults).map(([name, value]) => `default ${name} ${JSON.stringify(value)}`),
    ...headers.map((name) => `header ${name}`),
    ...WINDOW_LIMITS.flatMap(({ name, many }) => (limits?.[name] == null ? [] : [`${formatNumber(limits[name])} ${many}`])),
  ];
  return [`${upstream}/${model}`, ...ranked, ...capped, ...costs, ...described, ...(problem ? [EXCLUSIONS[problem]] : [])].join(", ");
}

function describeCost(cost: Price): string {
  const tiers = cost.tiers.map((tier) => `; above ${formatNumber(tier.above_input_tokens)} input tokens ${describeRates(tier)}`);
  const since = Date.parse(cost.effective_at) > 0 ? `, from ${formatDay(cost.effective_at)}` : "";
  return `${isFree(cost) ? "nothing" : describeRates(cost)}${tiers.join("")}${describePremium(cost)}${since}`;
}

function describeState(model: Model): string {
  const { state, shutdown_date: day, replacement } = model;
  if (state === "available") return "available";
  if (state === "retired") return `retired${movedBy(model.retired_at, model.retired_by)}; replacement ${replacement}`;
  return `deprecated${movedBy(model.deprecated_at, model.deprecated_by)}; shutdown date ${day}; replacement ${replacement}`;
}

function movedBy(at: string | null, who: string | null | undefined): string {
  return `${at === null ? "" : ` since ${formatTime(at)} UTC`}${who ? `, by ${who}` : ""}`;
}

/** The routes, with each priority other than 1. */
export function describeRoutes({ routes = [] }: Model): string {
  return routes.map(({ upstream, model, priority }) => `${upstream}/${model}${priority === 1 ? "" : ` (priority ${priority})`}`).join(", ");
}

/** The input and output price. An embedding model has no output. */
export function summarizePrice({ price, kind }: Pick<Model, "price" | "kind">): string {
  if (!price) return "none (rejected)";
  if (isFree(price)) return "free";
  const more = price.tiers.length === 0 ? "" : " (tiers)";
  const output = kind === "chat" ? ` / ${formatRate(price.output_per_million)}` : "";
  return `${formatRate(price.input_per_million)}${output}${more}`;
}

function describeFully(price: Price): string {
  return isFree(price) ? "free" : `${describeRates(price)}${describePremium(price)}`;
}

/** The factors of options, and the fees of tools. */
function describePremium({ multipliers, tool_fees: fees }: Price): string {
  const factors = Object.entries(multipliers).map(([option, factor]) => `; ${option} × ${factor}`);
  const tools = Object.entries(fees).map(([tool, fee]) => `; ${tool} ${fee === 0 ? "free" : `$${fee} each`}`);
  return [...factors, ...tools].join("");
}

/** The rates per million tokens. Kinds of tokens that cost the same as input or output are omitted. */
function describeRates(rates: Rates): string {
  const { input_per_million: input, output_per_million: output } = rates;
  const others = [
    ["cached input", rates.cached_input_per_million, input],
    ["cache write", rates.cache_write_per_million, input],
    ["cache write for 1 h", rates.cache_write_1h_per_million, undefined],
    ["reasoning", rates.reasoning_per_million, output],
  ] as const;
  const special = others.filter(([, own, usual]) => own !== usual).map(([kind, own]) => `, ${formatRate(own!)} ${kind}`);
  return `${formatRate(input)} input, ${formatRate(output)} output${special.join("")} per million tokens`;
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
