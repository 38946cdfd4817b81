import { MODEL_TIMEOUTS } from "../../timeout-options.ts";
import { CAPABILITIES, MODEL_KINDS } from "../../../models/catalog.ts";
import { FALLBACK_CONDITIONS } from "../../../models/fallbacks.ts";
import { SELECTIONS } from "../../../models/selection.ts";
import { WINDOW_LIMITS } from "../../../money/limits.ts";
import { UNKNOWN_HANDLINGS } from "../../../models/parameters/parameter-policy.ts";
import { UsageError, type Option, type Reader } from "../../command.ts";
import { choice, clearable, count, duration, json, list, rate, readDollars, text, yesOrNo } from "../../options.ts";
import type { Fields } from "../../platform-command.ts";
import { readHeaderFile } from "../upstreams/identity-options.ts";

const HANDLINGS = new Set(["pass", "drop", "refuse"]);

const readParameter: Reader = (given, name) => {
  if (given === "none") return null;
  const [, parameter, handling] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  const [, other] = /^rename:(.+)$/.exec(handling ?? "") ?? [];
  if (parameter !== undefined && other !== undefined) return [parameter, { rename: other }];
  if (parameter !== undefined && HANDLINGS.has(handling!)) return [parameter, handling];
  throw new UsageError(`${name} must be a parameter and its handling, such as logprobs=drop or seed=rename:random_seed, or none`);
};

const PARAMETER: Option = {
  field: "parameters",
  value: "NAME=pass|drop|refuse|rename:OTHER",
  meaning: "handling of a parameter that not every upstream supports; repeatable; none for the upstreams' defaults",
  read: readParameter,
  gather(all) {
    if (!all.includes(null)) return Object.fromEntries(all as [string, unknown][]);
    if (all.length > 1) throw new UsageError("--parameter none cannot be combined with other parameters");
    return null;
  },
};

export const UNKNOWN_PARAMETERS: Option = choice(
  "unknown_parameters",
  UNKNOWN_HANDLINGS,
  "handling of parameters that are neither in the API format nor in a rule",
);

const PARTS: Readonly<Record<string, { readonly path: readonly [string] | readonly [string, string]; readonly read: Reader }>> = {
  priority: { path: ["priority"], read: readWhole },
  weight: { path: ["weight"], read: readWhole },
  ...Object.fromEntries(WINDOW_LIMITS.map(({ option, name }) => [option, { path: ["limits", name] as const, read: readWhole }])),
  "max-input-price": { path: ["max_price", "input_per_million"], read: readRate },
  "max-output-price": { path: ["max_price", "output_per_million"], read: readRate },
  "input-cost": { path: ["cost", "input_per_million"], read: readRate },
  "output-cost": { path: ["cost", "output_per_million"], read: readRate },
  "cached-input-cost": { path: ["cost", "cached_input_per_million"], read: readRate },
  "cache-write-cost": { path: ["cost", "cache_write_per_million"], read: readRate },
  "cache-write-1h-cost": { path: ["cost", "cache_write_1h_per_million"], read: readRate },
  "reasoning-cost": { path: ["cost", "reasoning_per_million"], read: readRate },
};

/** `our-openai/gpt-4o-mini,priority=2`. Parsed from the end, because a model name may contain commas. */
const readRoute: Reader = (given, name) => {
  const more: Record<string, unknown> = {};
  let place = given;
  for (let part = partAt(place); part; part = partAt(place)) {
    const { key, value, before } = part;
    place = before;
    const [, kind, field] = /^(default|header)\.(.+)$/.exec(key) ?? [];
    if (kind !== undefined) {
      const read = kind === "default" ? readDefault(value) : readHeaderFile(value, `${key} of ${name}`);
      more[`${kind}s`] = { ...(more[`${kind}s`] as object | undefined), [field!]: read };
      continue;
    }
    const known = Object.hasOwn(PARTS, key) ? PARTS[key] : undefined;
    if (!known)
      throw new UsageError(
        `${name} has an unknown field ${key}; the fields are ${Object.keys(PARTS).join(", ")}, default.PARAMETER, header.NAME`,
      );
    const [first, second] = known.path;
    const read = known.read(value, `${key} of ${name}`);
    more[first] = second === undefined ? read : { ...(more[first] as object | undefined), [second]: read };
  }
  const at = place.indexOf("/");
  if (at < 1 || at === place.length - 1) throw new UsageError(`${name} must be an upstream and its model, such as our-openai/gpt-4o-mini`);
  return { upstream: place.slice(0, at), model: place.slice(at + 1), ...more };
};

function partAt(route: string): { key: string; value: string; before: string } | undefined {
  const [match, key, value] = /,([a-z-]+|(?:default|header)\.[\w.-]+)=([^,=]*)$/.exec(route) ?? [];
  return match === undefined ? undefined : { key: key!, value: value!, before: route.slice(0, -match.length) };
}

/** A number, a boolean or a text. Other types can be set in the config file and through the API. */
function readDefault(given: string): unknown {
  return /^(-?\d+(\.\d+)?|true|false)$/.test(given) ? (JSON.parse(given) as unknown) : given;
}

function readWhole(given: string, name: string): number {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new UsageError(`${name} must be a whole number`);
}

function readRate(given: string, name: string): number {
  return Number(readDollars(given, name));
}

export const ROUTE: Option = {
  field: "routes",
  value: "UPSTREAM/MODEL[,priority=N,…]",
  meaning:
    "route: an upstream and the upstream's model; repeatable. priority=2 for failover from the routes of priority 1, weight=3 for three times the traffic, weight=0 to drain it, requests-per-minute and tokens-per-minute for rate limits beyond which the next route is used, max-input-price and max-output-price to cap the provider's list price, input-cost and output-cost if the provider charges you a price other than its list price, default.temperature=0.2 for a parameter that requests do not set, header.x-team=FILE for a request header whose value is in a file, or none to remove it",
  read: readRoute,
  parts: Object.fromEntries(Object.entries(PARTS).map(([part, { path }]) => [path.join("."), part])),
  gather: (routes) => routes,
};

/** `gpt-4o-mini,on=context_length+error`. Parsed from the end, because a model id may contain commas. */
const readFallback: Reader = (given, name) => {
  if (given === "none") return null;
  const [, model, conditions] = /^(.+?)(?:,on=([^,]*))?$/.exec(given) ?? [];
  const on = conditions?.split("+") ?? ["error"];
  const unknown = on.find((each) => !FALLBACK_CONDITIONS.some((condition) => condition === each));
  if (unknown === undefined) return { model, on };
  throw new UsageError(`${name} has an unknown condition ${JSON.stringify(unknown)}; the conditions are ${FALLBACK_CONDITIONS.join(", ")}`);
};

const FALLBACK_MODEL: Option = {
  field: "fallback_models",
  value: "MODEL[,on=CONDITION+…]",
  meaning: `fallback: a model that serves requests when this one cannot; repeatable, in order; none for no fallbacks. The conditions are ${FALLBACK_CONDITIONS.join(", ")} (default: error)`,
  read: readFallback,
  gather(all) {
    if (!all.includes(null)) return all;
    if (all.length > 1) throw new UsageError("--fallback-model none cannot be combined with other fallbacks");
    return null;
  },
};

const readPercent: Reader = (given, name) => {
  if (/^\d{1,3}(\.\d{1,2})?$/.test(given)) return Number(given);
  throw new UsageError(`${name} must be a percentage such as 5 or 0.5`);
};

/** The fields of a model that can be set and updated. */
export const MODEL_OPTIONS = {
  route: ROUTE,
  "input-price": rate("price.input_per_million", "price per million input tokens"),
  "output-price": rate("price.output_per_million", "price per million output tokens"),
  "cached-input-price": rate("price.cached_input_per_million", "price per million cached input tokens (default: the input price)"),
  "cache-write-price": rate(
    "price.cache_write_per_million",
    "price per million tokens written to the provider's cache (default: the input price)",
  ),
  "cache-write-1h-price": rate(
    "price.cache_write_1h_per_million",
    "price per million tokens written to the provider's cache for an hour (default: such requests are refused)",
  ),
  "reasoning-price": rate("price.reasoning_per_million", "price per million reasoning tokens (default: the output price)"),
  effective: text("price.effective", "effective date of this price, such as 2027-01-31 (default: always)", "DAY"),
  multipliers: json("price.multipliers", "factors of all rates for options of requests, such as fast, as in docs/configuration.md"),
  "tool-fees": json("price.tool_fees", "fees for each call of tools that run at the provider, as in docs/configuration.md"),
  "price-tiers": json("price.tiers", "tiered rates by input tokens, as in docs/configuration.md"),
  prices: json("prices", "several prices with effective dates, instead of the options above, as in docs/configuration.md"),
  free: yesOrNo("free", "price of zero"),
  "context-window": clearable(count("context_window", "context window: tokens of prompt and response together, or none")),
  "max-output-tokens": clearable(count("max_output_tokens", "maximum tokens of a response, or none")),
  capabilities: list("capabilities", `capabilities, separated by commas: ${CAPABILITIES.join(", ")}`),
  accounts: clearable(list("accounts", "accounts that may call it, separated by commas; none for every account")),
  kind: choice("kind", MODEL_KINDS, "what the model is for (default: chat)"),
  "owned-by": text("owned_by", "owner in the model list"),
  parameter: PARAMETER,
  "unknown-parameters": clearable(UNKNOWN_PARAMETERS),
  sticky: clearable(
    yesOrNo("sticky", "session affinity: keep a conversation at one upstream; none to decide by the price of cached input"),
  ),
  selection: choice("selection", SELECTIONS, "selection of a route among the ready ones of a priority (default: weighted)"),
  "cache-ttl": clearable(duration("cache.ttl_seconds", "response cache: none, or a TTL", { maxDays: 30 })),
  "cache-price": count("cache.price_percent", "price of a cached response, in percent of the model's price (default: 0)"),
  "mirror-upstream": clearable(
    text("mirror.upstream", "mirror: upstream that receives a copy of some requests, for comparison, or none", "UPSTREAM"),
  ),
  "mirror-model": text("mirror.model", "the model's name at the mirror", "MODEL"),
  "mirror-percent": { field: "mirror.percent", value: "PERCENT", meaning: "percentage of requests that are mirrored", read: readPercent },
  ...MODEL_TIMEOUTS,
  "fallback-model": FALLBACK_MODEL,
};

/** The platform API replaces a response cache as a whole, and a mirror too. */
export function completeModel(fields: Fields): Fields {
  return completeMirror(completeCache(fields));
}

/** `--mirror-upstream none` removes the mirror. */
function completeMirror(fields: Fields): Fields {
  const { "mirror.upstream": upstream, "mirror.model": model, "mirror.percent": percent, ...rest } = fields;
  const given = [upstream, model, percent].filter((each) => each !== undefined).length;
  if (upstream === null && given === 1) return { ...rest, mirror: null };
  if (upstream === null) throw new UsageError("--mirror-upstream none removes the mirror: omit --mirror-model and --mirror-percent");
  if (given === 1 || given === 2) throw new UsageError("--mirror-upstream, --mirror-model and --mirror-percent go together");
  return fields;
}

/** `--cache-ttl none` turns the response cache off. A price for cached responses needs a TTL. */
function completeCache(fields: Fields): Fields {
  const { "cache.ttl_seconds": ttl, "cache.price_percent": price, ...rest } = fields;
  if (price !== undefined && ttl === undefined)
    throw new UsageError("--cache-price needs --cache-ttl too: --cache-ttl 24h --cache-price 10");
  if (price !== undefined && ttl === null) throw new UsageError("--cache-ttl none turns the cache off: omit --cache-price");
  return ttl === null ? { ...rest, cache: null } : fields;
}
