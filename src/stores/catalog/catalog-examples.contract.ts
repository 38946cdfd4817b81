import { plainModel, type Announcement, type Model, type ModelState, type Origin } from "../../models/catalog.ts";
import { ownChange, type Change } from "../../access/change.ts";
import type { DeclaredModel } from "../../models/declared-model.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import { toIdentity } from "../../models/identities/declared-identity.ts";
import { secretsOf } from "../../models/identities/identity.ts";
import { FREE, makePrice, type Price } from "../../money/price.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { identityOf, type UpstreamSettings } from "../../models/upstream-settings.ts";
import { DEFAULT_TIMEOUTS } from "../../models/timeouts.ts";
import type { CatalogStore, DeclaredCatalog } from "./catalog-store.ts";

/** Models, upstreams and announcements for the tests of the catalog. */

export const CHANGE = ownChange("model.test", { kind: "model", id: "m" }, null, 5_000);

export function upstream(id: string, baseUrl = "https://a.example/v1", ...credentials: readonly string[]): UpstreamSettings {
  const secrets = credentials.map((credential) => new Secret(credential));
  const remote = remoteAt(id, undefined, { baseUrl, allowPrivate: false }, secrets);
  return { ...remote, timeouts: { ...DEFAULT_TIMEOUTS, totalMs: 77_000 } };
}

function fail(): never {
  throw new Error("not valid");
}

/** An upstream with an identity, whose secrets end with the given text. */
export function upstreamWithIdentity(id: string, secret: string): UpstreamSettings {
  const remote = remoteAt(id, undefined, { baseUrl: "https://a.example/v1", allowPrivate: false }, []);
  const declared = {
    region: "us-east-1",
    access_key_id: "AKIAIOSFODNN7EXAMPLE",
    secret_access_key: `secret-${secret}`,
    role_arn: "arn:aws:iam::123456789012:role/gateway",
    external_id: `external-${secret}`,
  };
  return { ...remote, identity: toIdentity({ aws: declared }, fail) };
}

/** The secrets of an upstream's identity, which comparisons ignore. */
export function identitySecretsOf(settings: UpstreamSettings): Record<string, string> {
  return Object.fromEntries(Object.entries(secretsOf(identityOf(settings)!)).map(([field, secret]) => [field, secret.reveal()]));
}

export function declaredModel(id: string, more: Partial<DeclaredModel> = { free: true }): DeclaredModel {
  return { id, owned_by: "acme", routes: [{ upstream: "u", model: `their-${id}` }], ...more };
}

export function announce(model: string, state: ModelState = { name: "available" }, atMs = 5_000): Announcement {
  return { model, state, atMs, actor: "person_1", actorName: "Ann" };
}

export function putModel(
  store: CatalogStore,
  record: DeclaredModel,
  announcement: Announcement | undefined,
  change: Change,
): Promise<unknown> {
  return store.updateModel(record.id, () => ({ record, announcement, change }));
}

export function putUpstream(store: CatalogStore, record: UpstreamSettings, change: Change): Promise<unknown> {
  return store.updateUpstream(record.id, () => ({ record, change }));
}

export function declare(
  store: CatalogStore,
  origin: Exclude<Origin, "operator">,
  declared: DeclaredCatalog,
  ...announcements: readonly Announcement[]
): Promise<unknown> {
  return store.declare(origin, () => ({ declared, announcements }));
}

/** The price that the provider publishes for any model at this address. */
export function publishedPrice(baseUrl: string): Price {
  const picos = BigInt(baseUrl.length);
  const rates = { inputPicos: picos, cachedInputPicos: picos, cacheWritePicos: picos, outputPicos: picos, reasoningPicos: picos };
  return makePrice({ effectiveAtMs: 0, source: "default", rates, tiers: [] });
}

/** A model that another origin declares, served by an upstream of that origin. */
export function foreign(ownedBy: string, ids: readonly string[], upstreamId = `${ownedBy}-upstream`): DeclaredCatalog {
  const models = ids.map((id): [string, Model] => [
    id,
    { ...plainModel(id, { upstream: upstreamId, upstreamModel: id }), ownedBy, createdSeconds: 1, prices: [FREE] },
  ]);
  return { upstreams: [upstream(upstreamId, `https://${ownedBy}.example/v1`)], catalog: new Map(models) };
}
