import { unpricedModels, type Catalog, type Model } from "../models/catalog.ts";
import type { ConfigDeclarations } from "./config-file.ts";
import { unknownModels, type PriceList } from "../models/prices/price-list.ts";
import { summarizeList } from "../lib/text/summarize-list.ts";
import { presetOf } from "../models/presets.ts";
import { problemOfPrice } from "../models/route-exclusion.ts";
import type { CloudVariables } from "../models/identities/cloud-variables.ts";
import { credentialsOf, identityOf, type UpstreamSettings } from "../models/upstream-settings.ts";

/**
 * Warnings about models and routes that are never used. They are not errors, because a price may be set later. Each is a sentence without
 * initial capital and full stop.
 */
export function catalogWarnings(catalog: Catalog, nowMs: number): string[] {
  const unpriced = unpricedModels(catalog, nowMs);
  const drained = modelsInUse(catalog)
    .filter(({ routes }) => routes.every(({ weight }) => weight === 0))
    .map(({ id }) => id);
  const unused = routesOfUnknownPrice(catalog, nowMs);
  return [
    ...(unpriced.length === 0 ? [] : [`rejected until they have a price or free: true: ${summarizeList(unpriced)}`]),
    ...(drained.length === 0 ? [] : [`rejected because every route has weight 0: ${summarizeList(drained)}`]),
    ...(unused.length === 0 ? [] : [`never used because max_price is set and the price is unknown: ${summarizeList(unused)}`]),
  ];
}

/**
 * Warnings about models that a price list names but that the catalog lacks: they may be misspelt, or be added later. A file alone does not
 * show the models of the platform.
 */
export function priceListWarnings(priceLists: Iterable<PriceList>, catalog: Catalog, where: "the catalog" | "the file"): string[] {
  const unknown = [...priceLists].flatMap((list) => unknownModels(list, catalog).map((model) => `${model} in ${list.id}`));
  return unknown.length === 0 ? [] : [`models of price lists that are not in ${where}: ${summarizeList(unknown)}`];
}

/**
 * Warnings about price lists of accounts that the file does not declare. They may exist on the platform, which cannot be checked without a
 * gateway.
 */
export function accountWarnings({ priceLists, accounts }: Pick<ConfigDeclarations, "priceLists" | "accounts">): string[] {
  const declared = new Set(priceLists.map(({ id }) => id));
  const unknown = new Set(accounts.flatMap(({ priceList }) => (priceList === null || declared.has(priceList) ? [] : [priceList])));
  if (unknown.size === 0) return [];
  return [`price lists of accounts that are not in the file, so they must exist on the platform: ${summarizeList([...unknown])}`];
}

/** Warnings about variables of a file that are not set, if missing variables are accepted. */
export function unsetWarnings({ unset = [] }: Pick<ConfigDeclarations, "unset">): string[] {
  return unset.length === 0 ? [] : [`not set, so that what depends on them was not checked: ${summarizeList(unset)}`];
}

/** Warnings about upstreams that have no credential but call a provider. */
export function upstreamWarnings(upstreams: readonly UpstreamSettings[]): string[] {
  const bare = upstreams.filter((each) => credentialsOf(each).length === 0 && !identityOf(each) && isHosted(each)).map(({ id }) => id);
  return bare.length === 0 ? [] : [`declared without the credential that the provider requires: ${summarizeList(bare)}`];
}

const PROOFS_OF_AZURE = ["AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_FEDERATED_TOKEN_FILE"] as const;

/**
 * Warnings about a secret of Azure in the environment whose client is not set anywhere: the secret is not used, and a managed identity is
 * attempted instead.
 */
export function identityWarnings(upstreams: readonly UpstreamSettings[], variables: CloudVariables): string[] {
  const set = PROOFS_OF_AZURE.find((name) => variables[name]);
  if (set === undefined) return [];
  const missing = new Set(
    upstreams.flatMap((upstream) => {
      const identity = identityOf(upstream);
      if (identity?.kind !== "azure" || identity.clientSecret || identity.certificate) return [];
      // A client secret belongs to the client of the environment. A federated token can be used with any client.
      const clientId = set === "AZURE_FEDERATED_TOKEN_FILE" ? identity.clientId : undefined;
      return [
        ...(identity.tenantId === undefined && !variables.AZURE_TENANT_ID ? ["AZURE_TENANT_ID"] : []),
        ...(clientId === undefined && !variables.AZURE_CLIENT_ID ? ["AZURE_CLIENT_ID"] : []),
      ];
    }),
  );
  return missing.size === 0 ? [] : [`${set} is not used without ${[...missing].join(" and ")}, which is not set`];
}

function isHosted(settings: UpstreamSettings): boolean {
  return settings.dialect !== "echo" && settings.preset !== undefined && !presetOf(settings.preset).isLocal;
}

function routesOfUnknownPrice(catalog: Catalog, nowMs: number): string[] {
  return modelsInUse(catalog).flatMap(({ id, routes }) =>
    routes.filter((route) => problemOfPrice(route, nowMs) === "price_unknown").map(({ upstream }) => `${id} at ${upstream}`),
  );
}

function modelsInUse(catalog: Catalog): Model[] {
  return [...catalog.values()].filter(({ state }) => state.name !== "retired");
}
