import type { Compilable } from "kysely";
import type { DiscoveredModels } from "../../models/wildcard.ts";
import type { DeclaredPriceList } from "../../models/prices/declared-price-list.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { Database } from "../database.ts";
import type { Vault } from "../vault.ts";
import type { StoredModel } from "./compose-catalog.ts";
import { fromDiscovered } from "./discovered-models-table.ts";
import { writeModel } from "./model-json.ts";
import { sealUpstream } from "./open-upstreams.ts";

/** The statements that add, replace or delete records of the catalog. */

/** The headers of its routes are encrypted. */
export function upsertModel(database: Database, { declared, createdAtMs, archivedAtMs }: StoredModel, vault: Vault): Compilable {
  const row = { declared: writeModel(declared, vault), created_at_ms: createdAtMs, archived_at_ms: archivedAtMs };
  return database
    .insertInto("models")
    .values({ id: declared.id, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
}

/** Its credentials and headers are encrypted. */
export function upsertUpstream(database: Database, upstream: UpstreamSettings, vault: Vault, atMs: number): Compilable {
  const row = sealUpstream(upstream, vault);
  return database
    .insertInto("upstreams")
    .values({ id: upstream.id, ...row, created_at_ms: atMs })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
}

export function upsertPriceList(database: Database, list: DeclaredPriceList, atMs: number): Compilable {
  const row = { declared: JSON.stringify(list) };
  return database
    .insertInto("price_lists")
    .values({ id: list.id, ...row, created_at_ms: atMs })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
}

export function upsertDiscovered(database: Database, discovered: DiscoveredModels): Compilable {
  const { upstream, ...row } = fromDiscovered(discovered);
  return database
    .insertInto("discovered_models")
    .values({ upstream, ...row })
    .onConflict((conflict) => conflict.column("upstream").doUpdateSet(row));
}

export function deleteDiscovered(database: Database, upstream: string): Compilable {
  return database.deleteFrom("discovered_models").where("upstream", "=", upstream);
}
