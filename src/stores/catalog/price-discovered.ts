import type { DiscoveredModels, PricedModels } from "../../models/wildcard.ts";
import type { DefaultPrices } from "./compose-catalog.ts";
import type { DiscoveredModelsTable } from "./discovered-models-table.ts";

export function toPricedModels(row: DiscoveredModelsTable, defaultPrices: DefaultPrices): PricedModels {
  const models = JSON.parse(row.models) as DiscoveredModels["models"];
  return withPrices({ upstream: row.upstream, baseUrl: row.base_url, models, foundAtMs: row.found_at_ms }, defaultPrices);
}

export function withPrices(discovered: DiscoveredModels, defaultPrices: DefaultPrices): PricedModels {
  const { baseUrl, models } = discovered;
  return { ...discovered, models: models.map((each) => ({ ...each, publishedPrices: defaultPrices(baseUrl, each.upstreamModel) })) };
}
