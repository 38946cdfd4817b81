import type { ConfigDeclarations } from "./config-file.ts";
import { digestOfCopy, writeCopy } from "./file-copy.ts";
import type { AccountStore } from "../stores/accounts/account-store.ts";
import type { AuditLogStore } from "../stores/audit-log/audit-log-store.ts";
import type { CatalogStore, Declaration } from "../stores/catalog/catalog-store.ts";
import type { DeclaredFileStore, DeclaredFileWriter } from "../stores/declared-file/declared-file-store.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import type { LastUsedStore } from "../stores/last-used/last-used-store.ts";
import type { Account } from "../access/account.ts";
import { keyWithParts } from "../access/breakdown-settings.ts";
import { idOfApiKey } from "../access/api-key.ts";
import type { Announcement, Catalog, Model } from "../models/catalog.ts";
import { CONFIG_FILE, fileChange, type Change, type Target } from "../access/change.ts";
import { differenceOf, isNothing, joinDifferences, type DeclaredTarget, type Difference } from "../access/reload-report.ts";
import { describeAccount, type AccountTerms } from "../access/account.ts";
import { keepEqual } from "../lib/collections/keep-equal.ts";
import type { Secret } from "../lib/secret/secret.ts";
import { reuseModelIfEqual } from "../models/headers/route-headers.ts";
import { reuseUpstreamIfEqual, credentialsOf, hasSameSecrets, identityOf, type UpstreamSettings } from "../models/upstream-settings.ts";
import { hashKeyed } from "../lib/secret/checked-secret.ts";
import { viewPriceList } from "../models/prices/declared-price-list.ts";
import type { PriceList } from "../models/prices/price-list.ts";
import { viewRouting, viewState } from "../models/declared-model.ts";
import { describeUpstream, describeWithNewCredentials } from "../models/declared-upstream.ts";
import { revealHeaders } from "../models/headers/secret-headers.ts";
import { isSameIdentity, revealIdentity } from "../models/identities/identity.ts";
import type { OptionalEndpoint } from "../money/attribution.ts";
import { viewPrice } from "../money/view-price.ts";

interface DeclarationStores {
  readonly catalog: CatalogStore;
  readonly keys: KeyStore;
  readonly accounts: AccountStore;
  readonly lastUsed: LastUsedStore;
  readonly auditLog: AuditLogStore;
  /** Present if processes share the database. */
  readonly declaredFile?: DeclaredFileStore;
}

/** A model that was used within this time counts as in use. */
const IN_USE_MS = 30 * 24 * 60 * 60 * 1000;

/** Creates the audit record of a file's changes, for the actor who triggered the reload. */
export type RecordFile = (before: object | null, after: object) => Change;

const NOTHING: InForce = { upstreams: new Map(), models: new Map(), priceLists: new Map(), accounts: new Map(), endpoints: new Map() };

/** Applies the declarations of the config file or the environment. Requests in flight finish with the previous configuration. */
export class Declarations {
  readonly #stores: DeclarationStores;
  readonly #nowMs: () => number;
  readonly #hashSecret: Secret;
  /** Undefined until a file was applied. */
  #file: InForce | undefined;

  constructor(stores: DeclarationStores, hashSecret: Secret, nowMs: () => number) {
    this.#stores = stores;
    this.#hashSecret = hashSecret;
    this.#nowMs = nowMs;
  }

  /** Discovered models have no lifecycle, and are not announced. */
  async declareEnvironment({ upstreams, catalog: models }: Pick<ConfigDeclarations, "upstreams" | "catalog">): Promise<void> {
    const declared = { upstreams, catalog: models };
    await this.#stores.catalog.declare("environment", () => ({ declared, announcements: [] }));
  }

  /**
   * Applies the file completely or, when it is rejected or cannot be stored, not at all. A change to the previous configuration is
   * audited: for a reload the difference; for a start, which has only a digest to compare with, the whole file.
   */
  async declareFile(declared: ConfigDeclarations, record: RecordFile): Promise<Difference> {
    return (await this.declareFileIf(() => true, declared, record))!;
  }

  /**
   * Like `declareFile`. Returns undefined, and changes nothing, if `isWanted` returns false. It is called when no other change can
   * interfere any more.
   */
  async declareFileIf(isWanted: () => boolean, declared: ConfigDeclarations, record: RecordFile): Promise<Difference | undefined> {
    const inUseSinceMs = this.#nowMs() - IN_USE_MS;
    const inUse = await this.#removedInUse(declared.catalog, inUseSinceMs);
    const lastDigest = this.#file ? undefined : await this.#lastDigest();
    const made = await this.#stores.catalog.declare("file", () => {
      if (!isWanted()) return undefined;
      this.#check(declared, inUse, inUseSinceMs);
      return this.#toDeclaration(declared, lastDigest, record);
    });
    if (made) this.#file = made.after;
    return made?.difference;
  }

  targets(): readonly DeclaredTarget[] {
    return differenceBetween(NOTHING, this.#file ?? NOTHING).added;
  }

  /** The changes that applying the file would make. Throws when it would be rejected. */
  async previewFile(declared: ConfigDeclarations): Promise<Difference> {
    const inUseSinceMs = this.#nowMs() - IN_USE_MS;
    this.#check(declared, await this.#removedInUse(declared.catalog, inUseSinceMs), inUseSinceMs);
    const accounts = declared.accounts.map((terms) => this.#toAccount(terms).account);
    return differenceBetween(this.#file ?? NOTHING, this.#inForceAfter(declared, accounts));
  }

  /** Applies a file that another process has declared. Call it only while nothing else changes records. */
  async adopt(declared: ConfigDeclarations, writer: DeclaredFileWriter): Promise<void> {
    const accounts = declared.accounts.map((terms) => this.#toAccount(terms).account);
    const after = this.#inForceAfter(declared, accounts);
    await this.#stores.catalog.adoptFile(toCatalog(after, declared), writer);
    this.#stores.accounts.adoptFile([...after.accounts.keys()]);
    this.#file = after;
  }

  /** The declaration: the configuration after it, and the difference from the current configuration. */
  #toDeclaration(
    declared: ConfigDeclarations,
    lastDigest: string | undefined,
    record: RecordFile,
  ): Declaration & { after: InForce; difference: Difference } {
    const before = this.#file ?? NOTHING;
    const accounts = declared.accounts.map((terms) => this.#toAccount(terms));
    const after = this.#inForceAfter(
      declared,
      accounts.map(({ account }) => account),
    );
    const difference = differenceBetween(before, after);
    return {
      after,
      difference,
      declared: toCatalog(after, declared),
      announcements: this.#newAnnouncements([...after.models.values()]),
      change: this.#toChange(after, difference, lastDigest, record),
      together: [this.#stores.accounts.prepare(accounts), ...this.#prepareCopy(declared)],
    };
  }

  #inForceAfter(declared: ConfigDeclarations, accounts: readonly Account[]): InForce {
    const before = this.#file ?? NOTHING;
    // Unchanged resources stay the same objects: the connection pool and the health of an upstream depend on that.
    return {
      upstreams: keepEqual(before.upstreams, byId(declared.upstreams), reuseUpstreamIfEqual),
      models: keepEqual(before.models, declared.catalog, renewDeclared),
      priceLists: keepEqual(before.priceLists, byId(declared.priceLists), renewEqual),
      accounts: keepEqual(before.accounts, byId(accounts), renewEqual),
      endpoints: new Map(declared.endpoints?.map((endpoint) => [endpoint, endpoint])),
    };
  }

  /** The copy of the file for the other processes. */
  #prepareCopy({ copy }: ConfigDeclarations): ReturnType<DeclaredFileStore["prepare"]>[] {
    const { declaredFile } = this.#stores;
    return declaredFile && copy ? [declaredFile.prepare(digestOfCopy(copy, this.#hashSecret), writeCopy(copy))] : [];
  }

  #check(declared: ConfigDeclarations, inUse: readonly string[], inUseSinceMs: number): void {
    const { catalog, keys } = this.#stores;
    const wouldBe = catalog.preview("file", declared);
    declared.checkAgainst({
      stateOf: (modelId) => catalog.lastAnnouncement(modelId)?.state,
      isOwnKey: (credential) => keys.find(idOfApiKey(credential) ?? "") !== undefined,
      keyWithParts: (accountId) => keyWithParts(accountId, keys),
      catalog: wouldBe.catalog,
      removedUpstreams: [...(this.#file ?? NOTHING).upstreams.keys()].filter((id) => !wouldBe.upstreams.has(id)),
      removedModels: [...(this.#file ?? NOTHING).models.keys()].filter(
        (id) => (wouldBe.catalog.get(id)?.state.name ?? "retired") === "retired",
      ),
      inUse,
      inUseSinceMs,
      priceLists: new Set(wouldBe.priceLists.keys()),
      accountIds: new Set([...this.#stores.accounts.ids(), ...declared.accounts.map(({ id }) => id)]),
      usedPriceLists: this.#usedPriceLists(declared.accounts),
      nowMs: this.#nowMs(),
    });
  }

  /** The price lists of accounts that the file does not declare. */
  #usedPriceLists(ofFile: readonly AccountTerms[]): ReadonlyMap<string, string> {
    const { accounts } = this.#stores;
    const others = new Set(accounts.ids()).difference(new Set(ofFile.map(({ id }) => id)));
    return new Map([...others].flatMap((id) => (accounts.find(id)?.priceList ? [[accounts.find(id)!.priceList!, id] as const] : [])));
  }

  #toChange(after: InForce, difference: Difference, lastDigest: string | undefined, record: RecordFile): Change | undefined {
    const digest = digestOf(after, this.#hashSecret);
    if (this.#file) {
      const what = describeDifference(this.#file, after, difference);
      return isNothing(difference) ? undefined : record(what.before, { ...what.after, digest });
    }
    const last = lastDigest === undefined ? null : { digest: lastDigest };
    return digest === lastDigest ? undefined : record(last, { ...describeFile(after), digest });
  }

  /** The digest of the file that was last applied, whatever its name. */
  async #lastDigest(): Promise<string | undefined> {
    const [last] = await this.#stores.auditLog.page({ targetKind: "config" }, Number.MAX_SAFE_INTEGER, 1);
    return (last?.after as { digest?: string } | undefined)?.digest;
  }

  /** Models that were in the previous file, are missing from this one without being retired, and were used recently. */
  async #removedInUse(models: Catalog, sinceMs: number): Promise<string[]> {
    const { catalog, lastUsed } = this.#stores;
    const ofFile = catalog.lastAnnouncements().filter(({ actor, state }) => actor === CONFIG_FILE.actor && state.name !== "retired");
    const inUse: string[] = [];
    for (const { model } of ofFile.filter((each) => !models.has(each.model))) {
      const [use] = await lastUsed.keysUsing(model, { sinceMs, accountIds: [] }, undefined, 1);
      if (use) inUse.push(model);
    }
    return inUse;
  }

  /** The account as declared, with an audit record if it changes. Fields that the file does not declare stay. */
  #toAccount(terms: AccountTerms): { account: Account; change: Change | undefined } {
    const before = this.#stores.accounts.find(terms.id);
    const account = { createdAtMs: this.#nowMs(), ...before, ...terms };
    if (Bun.deepEquals(before, account)) return { account, change: undefined };
    const what = { before: before ? describeAccount(before) : null, after: describeAccount(account) };
    const action = before ? "account.update" : "account.create";
    return { account, change: fileChange(action, { kind: "account", id: terms.id }, what, this.#nowMs()) };
  }

  /** Models that are new, or whose state differs from the last announcement. */
  #newAnnouncements(models: readonly Model[]): Announcement[] {
    const { catalog } = this.#stores;
    const changed = models.filter(({ id, state }) => !Bun.deepEquals(catalog.lastAnnouncement(id)?.state, state));
    return changed.map(({ id, state }) => ({ model: id, state, atMs: this.#nowMs(), ...CONFIG_FILE }));
  }
}

function differenceBetween(before: InForce, after: InForce): Difference {
  return joinDifferences([
    differenceOf("upstream", before.upstreams, after.upstreams),
    differenceOf("model", before.models, after.models),
    differenceOf("price_list", before.priceLists, after.priceLists),
    differenceOf("account", before.accounts, after.accounts),
    differenceOf("endpoint", before.endpoints, after.endpoints),
  ]);
}

function toCatalog({ upstreams, models, priceLists }: InForce, { declaredModels, endpoints }: ConfigDeclarations): Declaration["declared"] {
  return { upstreams: [...upstreams.values()], catalog: models, declaredModels, priceLists: [...priceLists.values()], endpoints };
}

/** The creation time of a model is the time of its first declaration, not of the file's last change. */
function renewDeclared(before: Model, after: Model): Model {
  return reuseModelIfEqual(before, { ...after, createdSeconds: before.createdSeconds });
}

function renewEqual<T>(before: T, after: T): T {
  return Bun.deepEquals(before, after) ? before : after;
}

function byId<T extends { readonly id: string }>(things: readonly T[]): Map<string, T> {
  return new Map(things.map((each) => [each.id, each]));
}

/** The declarations of the file in force. */
interface InForce {
  readonly upstreams: ReadonlyMap<string, UpstreamSettings>;
  readonly models: Catalog;
  readonly priceLists: ReadonlyMap<string, PriceList>;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly endpoints: ReadonlyMap<OptionalEndpoint, OptionalEndpoint>;
}

type Description = Record<string, unknown>;

/** The whole file by id, without secrets, for the audit log. */
function describeFile({ upstreams, models, priceLists, accounts, endpoints }: InForce): Record<string, readonly unknown[]> {
  return {
    upstreams: sorted(upstreams).map(describeUpstream),
    models: sorted(models).map(describeModel),
    price_lists: sorted(priceLists).map(viewPriceList),
    accounts: sorted(accounts).map(describeAccount),
    // Only if there are any: the digest of a file of an earlier version stays the same.
    ...(endpoints.size > 0 && { endpoints: [...endpoints.keys()].toSorted() }),
  };
}

/** The changed resources before and after. */
function describeDifference(before: InForce, after: InForce, { added, changed, removed }: Difference): { before: object; after: object } {
  return {
    before: { changed: changed.map((each) => describeIn(before, each)), removed: removed.map((each) => describeIn(before, each)) },
    after: {
      added: added.map((each) => describeIn(after, each)),
      changed: changed.map((each) => describeIn(after, each, hasNewCredential(each, before, after))),
    },
  };
}

/** A digest of all declarations, credentials included. It is keyed, so that credentials cannot be guessed from it. */
function digestOf(file: InForce, hashSecret: Secret): string {
  const secrets = sorted(file.upstreams).map((upstream) => [
    ...credentialsOf(upstream).map((each) => each.reveal()),
    revealIdentity(identityOf(upstream)),
    ...(upstream.headers ? [revealHeaders(upstream.headers)] : []),
  ]);
  const ofRoutes = sorted(file.models).flatMap(({ routes }) => routes.flatMap(({ headers }) => (headers ? [revealHeaders(headers)] : [])));
  return Buffer.from(hashKeyed(JSON.stringify(["config file", describeFile(file), secrets, ...ofRoutes]), hashSecret)).toString("hex");
}

function describeIn(file: InForce, { kind, id }: Target, isNewCredential = false): Description {
  if (kind === "endpoint") return { kind, id };
  if (kind === "model") {
    // `kind` is the kind of the resource in this record.
    const { kind: modelKind, ...model } = describeModel(file.models.get(id)!);
    return { kind, model_kind: modelKind, ...model };
  }
  if (kind === "price_list") return { kind, ...viewPriceList(file.priceLists.get(id)!) };
  if (kind === "account") return { kind, ...describeAccount(file.accounts.get(id)!) };
  const upstream = file.upstreams.get(id)!;
  return { kind, ...(isNewCredential ? describeWithNewCredentials(upstream) : describeUpstream(upstream)) };
}

function describeModel(model: Model): Description {
  return {
    id: model.id,
    owned_by: model.ownedBy,
    model_kind: model.kind,
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
