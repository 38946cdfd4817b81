import { setImmediate as nextTurn } from "node:timers/promises";
import type { AccountStore } from "../../stores/accounts/account-store.ts";
import type { AlertStore } from "../../stores/alerts/alert-store.ts";
import type { HourlySpendStore } from "../../stores/alerts/hourly-spend-store.ts";
import type { WebhookStore } from "../../stores/alerts/webhook-store.ts";
import type { CatalogStore } from "../../stores/catalog/catalog-store.ts";
import type { KeyStore } from "../../stores/keys/key-store.ts";
import type { ChangedSpender, LedgerRecordStore } from "../../stores/ledger/ledger-record-store.ts";
import type { LastUsedStore } from "../../stores/last-used/last-used-store.ts";
import { isActive, type KeyRecord } from "../../access/api-key.ts";
import { NO_CAPS } from "../../money/limits.ts";
import type { UpstreamHealth } from "../../models/upstream-health.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import { wants } from "../webhook.ts";
import { over, type Found } from "./crossing.ts";
import { checkSpendCaps, type Capped } from "./spend-caps.ts";
import { checkLowCredit } from "./low-credit.ts";
import { isLongOver, UnusualSpendRule, type MovedKey } from "./unusual-spend.ts";
import { checkSoldBelowCost, isOfGoneOffer, type Offer } from "./sold-below-cost.ts";
import { isOfGoneModel, checkModelRetirement } from "./model-retirement.ts";
import { checkIdentityFailure, isOfGoneIdentity } from "./identity-failure.ts";
import { checkImplausibleUsage, isOfGoneBill } from "./implausible-usage.ts";
import { isOfGoneRoute, checkUpstreamEjection } from "./upstream-ejection.ts";
import { NOTHING_REFUSED, type Refusals, type Refused } from "./refusals.ts";

export interface WatcherOptions {
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly ledgerRecords: LedgerRecordStore;
  readonly catalog: CatalogStore;
  readonly lastUsed: LastUsedStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly hourlySpend: HourlySpendStore;
  readonly upstreamHealth: (settings: UpstreamSettings) => UpstreamHealth;
  readonly refusals: Refusals;
  readonly nowMs: () => number;
  /** Whether this process evaluates the rules: of those that share a database, one does. */
  readonly isLeader?: (() => boolean) | undefined;
  /** Called when an alert was raised. */
  readonly onRaised: () => void;
}

/** An account or a key to be checked. Its hourly spend matters only if it has spent. */
interface Waiting extends ChangedSpender {
  readonly hasMoved: boolean;
  readonly refused: Refused;
}

const EVALUATE_EVERY_MS = 2000;
/** Model retirement is a matter of days, and counting keys is expensive. */
const MODELS_EVERY_MS = 10 * 60_000;
/** Accounts and keys per slice: a millisecond or two, during which nothing else can run. */
const AT_ONCE = 200;
/** Accounts and keys that are checked without new spend, because their caps may have changed. A hundred thousand take some minutes. */
const SWEPT_EACH_TIME = 1000;

/**
 * Evaluates the alert rules every few seconds on the state in memory: never on the hot path, and only for accounts and keys whose spend
 * has changed. When an alert cannot be stored, the next evaluation finds it again.
 */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #unusualSpend: UnusualSpendRule;
  /** The queue of accounts and keys, by `key id` or `account id`. */
  readonly #waiting = new Map<string, Waiting>();
  #sweep: Iterator<ChangedSpender> | undefined;
  #modelsCheckedAtMs = Number.NEGATIVE_INFINITY;
  #pricesCheckedAtMs = Number.NEGATIVE_INFINITY;
  /** Whether prices are to be checked: models, price lists or assignments of lists have changed. */
  #havePricesChanged = true;
  #timer: Timer | undefined;
  #evaluation: Promise<void> = Promise.resolve();

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#unusualSpend = new UnusualSpendRule(options.hourlySpend);
    const pricesChanged = (): void => void (this.#havePricesChanged = true);
    options.catalog.onChange(pricesChanged);
    options.accounts.onChange((account, before) => {
      if (account.priceList !== (before?.priceList ?? null)) pricesChanged();
    });
    options.accounts.onRemove(pricesChanged);
  }

  start(): void {
    const evaluateAgain = (): void => {
      this.#evaluation = (this.#options.isLeader?.() === false ? Promise.resolve() : this.evaluate())
        // The disk is full or slow. The ledger reports that too.
        .catch(() => undefined)
        .finally(() => {
          if (this.#timer) this.#timer = setTimeout(evaluateAgain, EVALUATE_EVERY_MS).unref();
        });
    };
    this.#timer = setTimeout(evaluateAgain, 0).unref();
  }

  /** Evaluates all rules once. */
  async evaluate(): Promise<void> {
    const { catalog, alerts, upstreamHealth, nowMs } = this.#options;
    const routes = { upstreams: catalog.upstreams(), catalog: catalog.snapshot(), healthOf: upstreamHealth };
    await this.#raise(checkUpstreamEjection(routes, alerts.marks, nowMs()));
    await this.#raise(checkIdentityFailure(routes, alerts.marks, nowMs()));
    await this.#raise(checkImplausibleUsage(routes, alerts.marks, nowMs()));
    await this.#checkModelRetirement();
    await this.#checkPrices();
    await this.#addSwept();
    this.#addMoved();
    this.#addRefused();
    await this.#checkWaiting();
  }

  /** Stops the evaluation, and stores the baseline of this hour. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#evaluation;
    await this.#unusualSpend.write().catch(() => undefined);
  }

  async #checkModelRetirement(): Promise<void> {
    const { catalog, lastUsed, alerts, nowMs } = this.#options;
    // In days, so a clock change also triggers a check.
    if (Math.abs(nowMs() - this.#modelsCheckedAtMs) < MODELS_EVERY_MS) return;
    await this.#raise(await checkModelRetirement(catalog.snapshot(), lastUsed, alerts.marks, nowMs()));
    this.#modelsCheckedAtMs = nowMs();
  }

  /** When models, price lists or the lists of accounts change, and regularly: prices take effect at their dates. */
  async #checkPrices(): Promise<void> {
    const { catalog, accounts, alerts, nowMs } = this.#options;
    if (!this.#havePricesChanged && Math.abs(nowMs() - this.#pricesCheckedAtMs) < MODELS_EVERY_MS) return;
    this.#havePricesChanged = false;
    const used = new Set(accounts.ids().map((id) => accounts.find(id)!.priceList));
    const lists = [...catalog.priceLists().keys()].filter((id) => used.has(id));
    const offers: Offer[] = [null, ...lists].map((priceList) => ({ priceList, catalog: catalog.snapshot(priceList) }));
    try {
      await this.#raise(checkSoldBelowCost(offers, alerts.marks, nowMs()));
    } catch (error) {
      this.#havePricesChanged = true;
      throw error;
    }
    this.#pricesCheckedAtMs = nowMs();
  }

  #addMoved(): void {
    for (const moved of this.#options.ledgerRecords.takeChangedSpenders()) this.#add(moved, { hasMoved: true });
  }

  #addRefused(): void {
    for (const { refused, ...moved } of this.#options.refusals.take()) this.#add(moved, { refused });
  }

  /** Merges into an entry that may already be queued. */
  #add({ scope, id }: ChangedSpender, news: Partial<Waiting>): void {
    const name = `${scope} ${id}`;
    this.#waiting.set(name, { scope, id, hasMoved: false, refused: NOTHING_REFUSED, ...this.#waiting.get(name), ...news });
  }

  /** Queues the next part of all accounts and keys; after the last it starts again. */
  async #addSwept(): Promise<void> {
    this.#sweep ??= await this.#beginSweep();
    for (let left = SWEPT_EACH_TIME; left > 0; left--) {
      const { done, value } = this.#sweep.next() as IteratorResult<ChangedSpender, undefined>;
      if (done) return void (this.#sweep = undefined);
      this.#add(value, {});
    }
  }

  /** All accounts and keys, after removing the marks of deleted subjects, and of keys that have spent nothing since. */
  async #beginSweep(): Promise<Iterator<ChangedSpender>> {
    const { accounts, keys, catalog, alerts, nowMs } = this.#options;
    const models = catalog.snapshot();
    const isGone = (subject: string): boolean =>
      isOfGoneRoute(subject, catalog.upstreams()) ||
      isOfGoneIdentity(subject, catalog.upstreams()) ||
      isOfGoneBill(subject, catalog.upstreams()) ||
      isOfGoneModel(subject, models) ||
      isOfGoneOffer(subject, models);
    const ended = [...alerts.marks].filter(([subject, mark]) => isGone(subject) || isLongOver(subject, mark, nowMs()));
    await this.#raise(ended.map(([subject]) => over(subject)));
    return everyone(accounts.ids(), keys.ids());
  }

  async #checkWaiting(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = this.#waiting.entries().take(AT_ONCE).toArray();
      await this.#raise(await this.#checkBatch(batch.map(([, moved]) => moved)));
      for (const [name] of batch) this.#waiting.delete(name);
      await nextTurn();
    }
  }

  async #checkBatch(batch: readonly Waiting[]): Promise<Found[]> {
    const { keys, alerts, nowMs } = this.#options;
    const atMs = nowMs();
    const ofKeys = batch.filter(({ scope }) => scope === "key");
    const spenders = ofKeys.filter(({ hasMoved }) => hasMoved).flatMap(({ id }) => keys.find(id) ?? []);
    return [
      ...(await this.#unusualSpend.check(this.#spendingOf(spenders, atMs), alerts.marks, atMs)),
      ...batch.filter(({ scope }) => scope === "account").flatMap(({ id, refused }) => this.#checkAccount(id, refused, atMs)),
      ...ofKeys.flatMap(({ id, refused }) => this.#checkKey(keys.find(id), refused, atMs)),
    ];
  }

  #checkAccount(id: string, refused: Refused, nowMs: number): Found[] {
    const { accounts, ledgerRecords, alerts } = this.#options;
    const account = accounts.find(id);
    if (!account) return [];
    const { name, caps } = account;
    const capped: Capped = { scope: "account", id, caps, refused, named: () => ({ account: { id, name } }) };
    return [
      ...checkLowCredit(account, refused, ledgerRecords, alerts.marks, nowMs),
      ...checkSpendCaps(capped, ledgerRecords, alerts.marks, nowMs),
    ];
  }

  #checkKey(record: KeyRecord | undefined, refused: Refused, nowMs: number): Found[] {
    if (!record) return [];
    const { ledgerRecords, alerts } = this.#options;
    const caps = isActive(record, nowMs) ? record.caps : NO_CAPS;
    const capped: Capped = { scope: "key", id: record.id, caps, refused, named: () => this.#nameKey(record) };
    return checkSpendCaps(capped, ledgerRecords, alerts.marks, nowMs);
  }

  #spendingOf(records: readonly KeyRecord[], nowMs: number): MovedKey[] {
    const { ledgerRecords } = this.#options;
    return records.map((record) => ({
      record,
      named: () => this.#nameKey(record),
      totalNanos: ledgerRecords.spendingOf("key", record.id, nowMs).totalNanos,
    }));
  }

  #nameKey({ id, name, accountId }: KeyRecord): Record<string, unknown> {
    const account = this.#options.accounts.find(accountId);
    return { key: { id, name }, account: { id: accountId, name: account?.name ?? accountId } };
  }

  async #raise(found: readonly Found[]): Promise<void> {
    const { webhooks, alerts, nowMs, onRaised } = this.#options;
    const all = webhooks.list();
    for (let at = 0; at < found.length; at += AT_ONCE) {
      const part = found.slice(at, at + AT_ONCE);
      await alerts.raise(
        part.map((each) => ({
          ...each,
          webhookIds: all.filter((webhook) => each.alert && wants(webhook, each.alert)).map(({ id }) => id),
        })),
        nowMs(),
        (kind) => all.filter((webhook) => webhook.kind === "pagerduty" && wants(webhook, { kind })).map(({ id }) => id),
      );
      if (part.some(({ mark }) => mark === undefined)) onRaised();
    }
    if (found.some(({ alert }) => alert !== undefined)) onRaised();
  }
}

function* everyone(accountIds: readonly string[], keyIds: readonly string[]): Iterator<ChangedSpender> {
  for (const id of accountIds) yield { scope: "account", id };
  for (const id of keyIds) yield { scope: "key", id };
}
