import type { DiscoveredModels, PricedModel, PricedModels } from "../../models/wildcard.ts";
import type { DefaultPrices } from "./compose-catalog.ts";
import type { DiscoveredModelsTable } from "./discovered-models-table.ts";

export function toPricedModels(row: DiscoveredModelsTable, defaultPrices: DefaultPrices, before: PricedModels | undefined): PricedModels {
  const models = JSON.parse(row.models) as DiscoveredModels["models"];
  return withPrices({ upstream: row.upstream, baseUrl: row.base_url, models, foundAtMs: row.found_at_ms }, defaultPrices, before);
}

/**
 * The models with their published prices. Models that were listed before stay the same objects, with their prices: looking up the prices of
 * a long list is slow, and upstreams list the same models every hour.
 */
export function withPrices(discovered: DiscoveredModels, defaultPrices: DefaultPrices, before: PricedModels | undefined): PricedModels {
  const { baseUrl } = discovered;
  const earlier = new Map(before?.baseUrl === baseUrl ? before.models.map((each) => [each.name, each]) : []);
  const models = discovered.models.map((each): PricedModel => {
    const known = earlier.get(each.name);
    if (known?.upstreamModel !== each.upstreamModel || known.kind !== each.kind)
      return { ...each, publishedPrices: defaultPrices(baseUrl, each.upstreamModel, each.kind ?? "chat") };
    const renewed = { ...each, publishedPrices: known.publishedPrices };
    return Bun.deepEquals(known, renewed) ? known : renewed;
  });
  return { ...discovered, models };
}
