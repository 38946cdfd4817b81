import { CAPABILITIES } from "../../../models/declared-model.ts";
import { UNKNOWN_HANDLINGS } from "../../../models/parameters/parameters.ts";
import { UsageError, type Option, type Reader } from "../../command.ts";
import { choice, clearable, count, duration, json, list, rate, readDollars, text, yesOrNo } from "../../options.ts";
import type { Fields } from "../../platform-command.ts";

const HANDLINGS = new Set(["pass", "drop", "refuse"]);

const readParameter: Reader = (given, name) => {
  if (given === "none") return null;
  const [, parameter, handling] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  const [, other] = /^rename:(.+)$/.exec(handling ?? "") ?? [];
  if (parameter !== undefined && other !== undefined) return [parameter, { rename: other }];
  if (parameter !== undefined && HANDLINGS.has(handling!)) return [parameter, handling];
  throw new UsageError(`${name} must be a parameter and what becomes of it, such as logprobs=drop, or seed=rename:random_seed, or none`);
};

export const PARAMETER: Option = {
  field: "parameters",
  value: "NAME=pass|drop|refuse|rename:OTHER",
  meaning: "what becomes of a parameter that not every upstream takes; once for each of them, and none for as the upstreams have it",
  read: readParameter,
  gather(all) {
    if (!all.includes(null)) return Object.fromEntries(all as [string, unknown][]);
    if (all.length > 1) throw new UsageError("--parameter none goes alone");
    return null;
  },
};

export const UNKNOWN_PARAMETERS: Option = choice(
  "unknown_parameters",
  UNKNOWN_HANDLINGS,
  "what becomes of parameters that neither the format nor a rule knows",
);

const PARTS: Readonly<Record<string, { readonly path: readonly [string] | readonly [string, string]; readonly read: Reader }>> = {
  priority: { path: ["priority"], read: readWhole },
  weight: { path: ["weight"], read: readWhole },
  "max-input-price": { path: ["max_price", "input_per_million"], read: readRate },
  "max-output-price": { path: ["max_price", "output_per_million"], read: readRate },
  "input-cost": { path: ["cost", "input_per_million"], read: readRate },
  "output-cost": { path: ["cost", "output_per_million"], read: readRate },
  "cached-input-cost": { path: ["cost", "cached_input_per_million"], read: readRate },
  "cache-write-cost": { path: ["cost", "cache_write_per_million"], read: readRate },
  "reasoning-cost": { path: ["cost", "reasoning_per_million"], read: readRate },
};

/** `our-openai/gpt-4o-mini,priority=2`. The parts are taken from the end, because the name of a model may have commas in it. */
const readRoute: Reader = (given, name) => {
  const more: Record<string, unknown> = {};
  let place = given;
  for (let part = partAt(place); part; part = partAt(place)) {
    const { key, value, before } = part;
    const known = Object.hasOwn(PARTS, key) ? PARTS[key] : undefined;
    if (!known) throw new UsageError(`${name} has ${key}, and there are ${Object.keys(PARTS).join(", ")}`);
    const [first, second] = known.path;
    const read = known.read(value, `${key} of ${name}`);
    more[first] = second === undefined ? read : { ...(more[first] as object | undefined), [second]: read };
    place = before;
  }
  const at = place.indexOf("/");
  if (at < 1 || at === place.length - 1) throw new UsageError(`${name} must be an upstream and its model, such as our-openai/gpt-4o-mini`);
  return { upstream: place.slice(0, at), model: place.slice(at + 1), ...more };
};

function partAt(route: string): { key: string; value: string; before: string } | undefined {
  const [match, key, value] = /,([a-z-]+)=([^,=]*)$/.exec(route) ?? [];
  return match === undefined ? undefined : { key: key!, value: value!, before: route.slice(0, -match.length) };
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
    "a route: an upstream, and its name for the model. Repeat for several routes; priority=2 for failover from those of 1, weight=3 for three times the share of another, weight=0 to drain it, max-input-price and max-output-price to cap the price that the provider publishes, input-cost and output-cost for what the provider charges you where that is not its list price",
  read: readRoute,
  parts: Object.fromEntries(Object.entries(PARTS).map(([part, { path }]) => [path.join("."), part])),
  gather: (routes) => routes,
};

/** What a model is made with and can be changed to. */
export const MODEL_OPTIONS = {
  route: ROUTE,
  "input-price": rate("price.input_per_million", "dollars for a million tokens of input"),
  "output-price": rate("price.output_per_million", "dollars for a million tokens of output"),
  "cached-input-price": rate("price.cached_input_per_million", "for cached input, if it is another"),
  "cache-write-price": rate("price.cache_write_per_million", "for writing to the cache, if it is another than for input"),
  "reasoning-price": rate("price.reasoning_per_million", "for reasoning, if it is another than for output"),
  effective: text("price.effective", "the day from which on this price holds, such as 2027-01-31; always, if not given", "DAY"),
  "price-tiers": json("price.tiers", "other rates above so many input tokens, as docs/configuration.md has them"),
  prices: json("prices", "instead of all of these, several prices with their days, as docs/configuration.md has them"),
  free: yesOrNo("free", "whether it costs nothing"),
  "context-window": clearable(count("context_window", "how many tokens prompt and answer may have together, or none")),
  "max-output-tokens": clearable(count("max_output_tokens", "how many tokens an answer may have, or none")),
  capabilities: list("capabilities", `what it can do, with commas between: ${CAPABILITIES.join(", ")}`),
  "owned-by": text("owned_by", "the owner label in the model list"),
  parameter: PARAMETER,
  "unknown-parameters": clearable(UNKNOWN_PARAMETERS),
  sticky: clearable(yesOrNo("sticky", "whether a conversation stays at one upstream; none for where cached input is cheaper")),
  "cache-ttl": clearable(duration("cache.ttl_seconds", "how long an answer is kept for the same request: 30m, 24h, 7d, or none")),
  "cache-price": count(
    "cache.price_percent",
    "what a kept answer costs, in percent of what its tokens cost by the price in force; nothing, if not given",
  ),
  "connect-ms": clearable(
    count("timeouts.connect_ms", "how long to wait for a connection, in milliseconds; none for as the upstream has it"),
  ),
  "first-byte-ms": clearable(count("timeouts.first_byte_ms", "how long to wait for the first byte of a stream, or none")),
  "between-chunks-ms": clearable(count("timeouts.between_chunks_ms", "how long to wait between two pieces of a stream, or none")),
  "total-ms": clearable(count("timeouts.total_ms", "how long to wait for the whole call, or none")),
};

/** No time to keep answers for is no cache, whatever else was said of it. */
export function withoutEmptyCache(fields: Fields): Fields {
  if (fields["cache.ttl_seconds"] !== null) return fields;
  const { "cache.ttl_seconds": _ttl, "cache.price_percent": _price, ...rest } = fields;
  return { ...rest, cache: null };
}
