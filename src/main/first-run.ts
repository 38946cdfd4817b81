import type { ConfigDeclarations } from "../config/config-file.ts";
import { findDefaultPrices } from "../models/prices/find-default-prices.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import type { LedgerRecordStore } from "../stores/ledger/ledger-record-store.ts";
import type { Discovery } from "../upstreams/discover-models.ts";
import { DEFAULT_ACCOUNT } from "../access/account.ts";
import { issueKey } from "../access/api-key.ts";
import type { Catalog, Model } from "../models/catalog.ts";
import { ownChange } from "../access/change.ts";
import { NO_CAPS, NO_LIMITS } from "../money/limits.ts";
import { formatDollars, parseDollars } from "../money/money.ts";
import { FREE, priceInForce } from "../money/price.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";

/** The first start of an unconfigured gateway: a working key, and the discovered models. */

/** The credit of the first key, for the built-in echo model. */
export const STARTING_CREDIT = parseDollars("10")!;
const FIRST_GRANT = { actor: "first start", reason: "starting credit", reference: "starting credit" };

/** Creates the key that is shown on the first start, and grants its account credit. */
export async function makeFirstKey(
  { keys, ledgerRecords }: { keys: KeyStore; ledgerRecords: LedgerRecordStore },
  hashSecret: Secret,
  nowMs: number,
): Promise<Secret> {
  const wanted = { name: "first key", accountId: DEFAULT_ACCOUNT, models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null };
  const { key, record } = issueKey(wanted, hashSecret, nowMs);
  const { id, name, models } = record;
  await keys.add(record, ownChange("key.create", { kind: "key", id }, { id, name, models, account: DEFAULT_ACCOUNT }, nowMs));
  const grant = { kind: "grant", accountId: DEFAULT_ACCOUNT, amountNanos: STARTING_CREDIT, atMs: nowMs, ...FIRST_GRANT } as const;
  const granted = { amount: formatDollars(STARTING_CREDIT), reason: FIRST_GRANT.reason };
  await ledgerRecords.addCredit(grant, () => ownChange("credit.grant", { kind: "account", id: DEFAULT_ACCOUNT }, granted, nowMs));
  return key;
}

/**
 * If two upstreams have a model with the same name, the first upstream wins. `inUse` are the existing models: an operator's model may be
 * served by a local server that starts later than Tollgate.
 */
export function withDiscovered(declared: ConfigDeclarations, discoveries: readonly Discovery[], inUse: Catalog): ConfigDeclarations {
  const catalog = new Map(declared.catalog);
  for (const { upstream, models } of discoveries) {
    for (const model of models) if (!catalog.has(model.id)) catalog.set(model.id, withPrices(model, upstream));
  }
  const routed = new Set([...inUse.values()].flatMap(({ routes }) => routes.map((route) => route.upstream)));
  const there = discoveries.filter((each) => isUsable(each) || routed.has(each.upstream.id));
  return { ...declared, catalog, upstreams: [...declared.upstreams, ...there.map((each) => each.upstream)] };
}

/**
 * Model names that are safe to paste into a shell: the example request is pasted, and a server may choose any name. A shell expands some
 * other characters even in quotes.
 */
const PASTABLE = /^[\w./:@+-]+$/;

/**
 * The discovered model for the example request of the first start; undefined if none can be called. Local models come first, because they
 * are free, then the cheapest.
 */
export function exampleModel(discoveries: readonly Discovery[], catalog: Catalog, nowMs: number): string | undefined {
  const found = discoveries.flatMap(({ upstream, models }) =>
    models.flatMap(({ id }) => {
      const model = catalog.get(id);
      const rates = model?.routes[0]!.upstream === upstream.id ? priceInForce(model.prices, nowMs)?.rates : undefined;
      if (!rates || model?.kind !== "chat" || !PASTABLE.test(id)) return [];
      return [{ id, isLocal: upstream.credentials.length === 0, picos: rates.inputPicos + rates.outputPicos }];
    }),
  );
  const [first] = found.toSorted((one, other) => Number(other.isLocal) - Number(one.isLocal) || Number(one.picos - other.picos));
  return first?.id;
}

/**
 * A credential shows that the operator wants to use the provider, even if it does not respond at the moment. A local server must respond.
 */
function isUsable({ upstream, hasAnswered }: Discovery): boolean {
  return hasAnswered || upstream.credentials.length > 0;
}

/** A provider's models have the provider's published prices. A local server without a credential is free. */
function withPrices(model: Model, { baseUrl, credentials }: RemoteSettings): Model {
  const routes = model.routes.map((route) => ({ ...route, publishedPrices: findDefaultPrices(baseUrl, route.upstreamModel, model.kind) }));
  return { ...model, routes, prices: credentials.length === 0 ? [FREE] : routes[0]!.publishedPrices };
}
