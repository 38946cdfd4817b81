import { UsageError, type Option, type Reader } from "../../command.ts";
import { readDollars } from "../../options.ts";

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

function partAt(text: string): { key: string; value: string; before: string } | undefined {
  const [match, key, value] = /,([a-z-]+)=([^,=]*)$/.exec(text) ?? [];
  return match === undefined ? undefined : { key: key!, value: value!, before: text.slice(0, -match.length) };
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
