import type { Declared } from "./config-file.ts";
import type { CatalogStore } from "./stores/catalog/catalog-store.ts";
import type { LedgerStore } from "./stores/ledger/ledger-store.ts";
import type { Announcement, Catalog, Origin } from "./vocabulary/catalog.ts";

export interface DeclarationStores {
  readonly catalog: CatalogStore;
  readonly ledger: LedgerStore;
}

/**
 * Puts what the config file, or the environment, declares in force: all of it, or, where a move is refused, nothing. Requests
 * under way go on with what they began with.
 */
export async function declare(
  origin: Exclude<Origin, "operator">,
  declared: Declared,
  { catalog, ledger }: DeclarationStores,
  nowMs: number,
): Promise<void> {
  declared.refuseMoves((modelId) => catalog.lastAnnouncement(modelId)?.state);
  keepPrices(declared.catalog, ledger);
  // What is merely found has no life of its own to tell of.
  if (origin === "file") await catalog.announce(newsOf(declared.catalog, catalog, nowMs));
  catalog.declare(origin, declared);
}

/** Entries name versions of prices, so what a version says must be known before the first entry, and as long as there are any. */
export function keepPrices(models: Catalog, ledger: LedgerStore): void {
  ledger.keepPrices([...models.values()].flatMap((model) => model.prices));
}

/** The models that are new, or not in the state that was last told. */
function newsOf(models: Catalog, catalog: CatalogStore, atMs: number): Announcement[] {
  const news = [...models.values()].filter(({ id, state }) => !Bun.deepEquals(catalog.lastAnnouncement(id)?.state, state));
  return news.map(({ id, state }) => ({ model: id, state, atMs, actor: "config-file", actorName: "config file" }));
}
