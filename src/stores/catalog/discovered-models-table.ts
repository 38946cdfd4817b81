import type { DiscoveredModels } from "../../models/wildcard.ts";

/** A row of `discovered_models`: the models that an upstream has listed, as JSON. */
export interface DiscoveredModelsTable {
  upstream: string;
  base_url: string;
  models: string;
  found_at_ms: number;
}

export function fromDiscovered({ upstream, baseUrl, models, foundAtMs }: DiscoveredModels): DiscoveredModelsTable {
  return { upstream, base_url: baseUrl, models: JSON.stringify(models), found_at_ms: foundAtMs };
}
