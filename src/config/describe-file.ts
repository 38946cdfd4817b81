import type { Account } from "../access/account.ts";
import type { Catalog, Model } from "../models/catalog.ts";
import type { Target } from "../access/change.ts";
import { hashKeyed } from "../lib/secret/checked-secret.ts";
import type { Difference } from "../access/reload-report.ts";
import { describeAccount } from "../access/declared-account.ts";
import { viewPriceList } from "../models/prices/declared-price-list.ts";
import type { PriceList } from "../models/prices/price-list.ts";
import { viewRouting, viewState } from "../models/declared-model.ts";
import { describeUpstream, describeWithNewCredentials } from "../models/declared-upstream.ts";
import { revealHeaders } from "../models/headers/secret-headers.ts";
import { isSameIdentity, revealIdentity } from "../models/identities/identity.ts";
import type { Secret } from "../lib/secret/secret.ts";
import { credentialsOf, hasSameSecrets, identityOf, type UpstreamSettings } from "../models/upstream-settings.ts";
import { viewPrice } from "../money/view-price.ts";

/** The declarations of the file in force. */
export interface InForce {
  readonly upstreams: ReadonlyMap<string, UpstreamSettings>;
  readonly models: Catalog;
  readonly priceLists: ReadonlyMap<string, PriceList>;
  readonly accounts: ReadonlyMap<string, Account>;
}

type Description = Record<string, unknown>;

/** The whole file by id, without secrets, for the audit log. */
export function describeFile({ upstreams, models, priceLists, accounts }: InForce): Record<string, Description[]> {
  return {
    upstreams: sorted(upstreams).map(describeUpstream),
    models: sorted(models).map(describeModel),
    price_lists: sorted(priceLists).map(viewPriceList),
    accounts: sorted(accounts).map(describeAccount),
  };
}

/** The changed resources before and after. */
export function describeDifference(
  before: InForce,
  after: InForce,
  { added, changed, removed }: Difference,
): { before: object; after: object } {
  return {
    before: { changed: changed.map((each) => describeIn(before, each)), removed: removed.map((each) => describeIn(before, each)) },
    after: {
      added: added.map((each) => describeIn(after, each)),
      changed: changed.map((each) => describeIn(after, each, hasNewCredential(each, before, after))),
    },
  };
}

/** A digest of all declarations, credentials included. It is keyed, so that credentials cannot be guessed from it. */
export function digestOf(file: InForce, hashSecret: Secret): string {
  const secrets = sorted(file.upstreams).map((upstream) => [
    ...credentialsOf(upstream).map((each) => each.reveal()),
    revealIdentity(identityOf(upstream)),
    ...(upstream.headers ? [revealHeaders(upstream.headers)] : []),
  ]);
  const ofRoutes = sorted(file.models).flatMap(({ routes }) => routes.flatMap(({ headers }) => (headers ? [revealHeaders(headers)] : [])));
  return Buffer.from(hashKeyed(JSON.stringify(["config file", describeFile(file), secrets, ...ofRoutes]), hashSecret)).toString("hex");
}

function describeIn(file: InForce, { kind, id }: Target, isNewCredential = false): Description {
  if (kind === "model") return { kind, ...describeModel(file.models.get(id)!) };
  if (kind === "price_list") return { kind, ...viewPriceList(file.priceLists.get(id)!) };
  if (kind === "account") return { kind, ...describeAccount(file.accounts.get(id)!) };
  const upstream = file.upstreams.get(id)!;
  return { kind, ...(isNewCredential ? describeWithNewCredentials(upstream) : describeUpstream(upstream)) };
}

function describeModel(model: Model): Description {
  return {
    id: model.id,
    owned_by: model.ownedBy,
    ...viewState(model.state),
    ...viewRouting(model),
    prices: model.prices.map(viewPrice),
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    capabilities: model.capabilities,
  };
}

function hasNewCredential({ kind, id }: Target, before: InForce, after: InForce): boolean {
  if (kind !== "upstream") return false;
  const [old, current] = [before.upstreams.get(id)!, after.upstreams.get(id)!];
  const credentials = credentialsOf(current);
  if (credentials.length > 0) return !hasSameSecrets(credentials, credentialsOf(old));
  const identity = identityOf(current);
  return identity !== undefined && !isSameIdentity(identity, identityOf(old));
}

function sorted<T extends { readonly id: string }>(things: ReadonlyMap<string, T>): T[] {
  return [...things.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
