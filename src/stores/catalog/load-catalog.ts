import type { Announcement } from "../../models/catalog.ts";
import { OPTIONAL_ENDPOINTS } from "../../money/attribution.ts";
import type { DeclaredPriceList } from "../../models/prices/declared-price-list.ts";
import type { PricedModels } from "../../models/wildcard.ts";
import { reuseUpstreamIfEqual } from "../../models/upstream-settings.ts";
import type { RecordReader } from "../database.ts";
import type { Vault } from "../vault.ts";
import { fromRow } from "./announcement-table.ts";
import type { DiscoveredModelsTable } from "./discovered-models-table.ts";
import { toPricedModels } from "./price-discovered.ts";
import type { DefaultPrices, StoredCatalog, StoredModel } from "./compose-catalog.ts";
import type { ModelTable } from "./model-table.ts";
import { readModel } from "./model-json.ts";
import { readUpstreams } from "./open-upstreams.ts";

/**
 * Loads the catalog. Unchanged records stay the same objects. Models are read first, so that the upstreams that they name are not missing
 * while another process changes them.
 */
export async function loadCatalog(
  reader: RecordReader,
  { vault, defaultPrices }: { readonly vault: Vault; readonly defaultPrices: DefaultPrices },
  before: StoredCatalog,
): Promise<Pick<StoredCatalog, "models" | "upstreams" | "announcements" | "priceLists" | "endpoints" | "discovered">> {
  const models = await reader.selectFrom("models").selectAll().orderBy("created_at_ms").orderBy("id").execute();
  const upstreams = await readUpstreams(reader, vault);
  const announcements = await reader.selectFrom("announcements").selectAll().orderBy("id").execute();
  const priceLists = await reader.selectFrom("price_lists").selectAll().orderBy("id").execute();
  const endpoints = await reader.selectFrom("endpoints").select("id").execute();
  const discovered = await reader.selectFrom("discovered_models").selectAll().orderBy("upstream").execute();
  return {
    models: new Map(models.map((row) => [row.id, renewStored(before.models.get(row.id), toStoredModel(row, vault))])),
    upstreams: new Map(upstreams.map((upstream) => [upstream.id, reuseUpstreamIfEqual(before.upstreams.get(upstream.id), upstream)])),
    announcements: withAnnouncements(new Map(), announcements.map(fromRow)),
    priceLists: new Map(
      priceLists.map((row) => [row.id, renewDeclared(before.priceLists.get(row.id), JSON.parse(row.declared) as DeclaredPriceList)]),
    ),
    endpoints: new Set(OPTIONAL_ENDPOINTS.filter((each) => endpoints.some(({ id }) => id === each))),
    discovered: new Map(discovered.map((row) => [row.upstream, renewListed(before.discovered.get(row.upstream), row, defaultPrices)])),
  };
}

/** A list that was not updated stays the same object. */
function renewListed(before: PricedModels | undefined, row: DiscoveredModelsTable, defaultPrices: DefaultPrices): PricedModels {
  const isSame = before && before.foundAtMs === row.found_at_ms && before.baseUrl === row.base_url;
  return isSame ? before : toPricedModels(row, defaultPrices, before);
}

/** A model with secret headers is replaced each time: generic comparisons treat any two secrets as equal. */
function renewStored(before: StoredModel | undefined, next: StoredModel): StoredModel {
  const hasHeaders = next.declared.routes.some(({ headers }) => headers);
  return before && !hasHeaders && Bun.deepEquals(before, next) ? before : next;
}

function renewDeclared(before: DeclaredPriceList | undefined, next: DeclaredPriceList): DeclaredPriceList {
  return before && Bun.deepEquals(before, next) ? before : next;
}

function toStoredModel({ declared, created_at_ms: createdAtMs, archived_at_ms: archivedAtMs }: ModelTable, vault: Vault): StoredModel {
  return { declared: readModel(declared, vault), createdAtMs, archivedAtMs };
}

export function withAnnouncements(known: StoredCatalog["announcements"], more: readonly Announcement[]): StoredCatalog["announcements"] {
  const all = new Map(known);
  for (const each of more) all.set(each.model, [...(all.get(each.model) ?? []), each]);
  return all;
}
