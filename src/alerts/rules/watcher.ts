import { setImmediate as nextTurn } from "node:timers/promises";
import type { AccountStore } from "../../stores/accounts/account-store.ts";
import type { AlertStore } from "../../stores/alerts/alert-store.ts";
import type { KeyHourStore } from "../../stores/alerts/key-hour-store.ts";
import type { WebhookStore } from "../../stores/alerts/webhook-store.ts";
import type { CatalogStore } from "../../stores/catalog/catalog-store.ts";
import type { KeyStore } from "../../stores/keys/key-store.ts";
import type { LedgerStore, Moved } from "../../stores/ledger/ledger-store.ts";
import type { LastUsedStore } from "../../stores/last-used/use-store.ts";
import { isActive, type KeyRecord } from "../../access/api-key.ts";
import { NO_CAPS } from "../../money/limits.ts";
import type { UpstreamHealth } from "../../models/upstream-health.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import { wants } from "../webhook.ts";
import { over, type Found } from "./crossing.ts";
import { checkSpendCaps } from "./spend-caps.ts";
import { checkLowCredit } from "./low-credit.ts";
import { UnusualSpendRule, type MovedKey } from "./unusual-spend.ts";
import { isOfGoneModel, checkModelRetirement } from "./model-retirement.ts";
import { isOfGoneRoute, checkUpstreamEjection } from "./upstream-ejection.ts";
import { NOTHING_REFUSED, type Refusals, type Refused } from "./refusals.ts";

export interface WatcherOptions {
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly ledger: LedgerStore;
  readonly catalog: CatalogStore;
  readonly uses: LastUsedStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly keyHours: KeyHourStore;
  readonly upstreamHealth: (settings: UpstreamSettings) => UpstreamHealth;
  readonly refusals: Refusals;
  readonly nowMs: () => number;
  /** Hears that something was raised. */
  readonly onRaised: () => void;
}

/** An account or a key to be looked at. What it spends in an hour is of interest only where it has spent. */
interface Waiting extends Moved {
  readonly hasMoved: boolean;
  readonly refused: Refused;
}

const LOOK_EVERY_MS = 2000;
/** Days are what counts for models, and to count their keys costs something. */
const MODELS_EVERY_MS = 10 * 60_000;
/** Accounts and keys that are looked at in one turn: a millisecond or two, in which nothing else can run. */
const AT_ONCE = 200;
/** Those that are looked at although nothing was spent: their caps may have been changed. A hundred thousand take some minutes. */
const SWEPT_EACH_LOOK = 1000;

/**
 * Looks every few seconds at what is in memory, and raises alerts: never on the path of a request, and at those accounts and keys
 * alone that have moved. Where something cannot be written, the next look finds it again.
 */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #hours: UnusualSpendRule;
  /** What is still to be looked at, by `key id` or `account id`. */
  readonly #waiting = new Map<string, Waiting>();
  #sweep: Iterator<Moved> | undefined;
  #modelsLookedAtMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#hours = new UnusualSpendRule(options.keyHours);
  }

  start(): void {
    const lookAgain = (): void => {
      this.#looking = this.look()
        // The disk is full, or slow. The ledger says so too.
        .catch(() => undefined)
        .finally(() => {
          if (this.#timer) this.#timer = setTimeout(lookAgain, LOOK_EVERY_MS).unref();
        });
    };
    this.#timer = setTimeout(lookAgain, 0).unref();
  }

  /** One look at everything that may have changed. */
  async look(): Promise<void> {
    const { catalog, alerts, upstreamHealth, nowMs } = this.#options;
    const routes = { upstreams: catalog.upstreams(), catalog: catalog.snapshot(), healthOf: upstreamHealth };
    await this.#raise(checkUpstreamEjection(routes, alerts.marks, nowMs()));
    await this.#checkModelRetirement();
    await this.#addSwept();
    this.#addMoved();
    this.#addRefused();
    await this.#lookAtWaiting();
  }

  /** Ends the looking, and keeps what is known of this hour. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#looking;
    await this.#hours.write().catch(() => undefined);
  }

  async #checkModelRetirement(): Promise<void> {
    const { catalog, uses, alerts, nowMs } = this.#options;
    // Days count here, so a clock that was set is a reason to look.
    if (Math.abs(nowMs() - this.#modelsLookedAtMs) < MODELS_EVERY_MS) return;
    await this.#raise(await checkModelRetirement(catalog.snapshot(), uses, alerts.marks, nowMs()));
    this.#modelsLookedAtMs = nowMs();
  }

  #addMoved(): void {
    for (const moved of this.#options.ledger.takeMoved()) this.#add(moved, { hasMoved: true });
  }

  #addRefused(): void {
    for (const { refused, ...moved } of this.#options.refusals.take()) this.#add(moved, { refused });
  }

  /** Adds to what is known of one that may be waiting already. */
  #add({ scope, id }: Moved, news: Partial<Waiting>): void {
    const name = `${scope} ${id}`;
    this.#waiting.set(name, { scope, id, hasMoved: false, refused: NOTHING_REFUSED, ...this.#waiting.get(name), ...news });
  }

  /** The next of all accounts and keys; after the last it begins anew. */
  async #addSwept(): Promise<void> {
    this.#sweep ??= await this.#beginSweep();
    for (let left = SWEPT_EACH_LOOK; left > 0; left--) {
      const { done, value } = this.#sweep.next() as IteratorResult<Moved, undefined>;
      if (done) return void (this.#sweep = undefined);
      this.#add(value, {});
    }
  }

  /** Everything that there is, without the marks of what is no more. */
  async #beginSweep(): Promise<Iterator<Moved>> {
    const { accounts, keys, catalog, alerts } = this.#options;
    const isGone = (subject: string): boolean => isOfGoneRoute(subject, catalog.upstreams()) || isOfGoneModel(subject, catalog.snapshot());
    await this.#raise([...alerts.marks.keys()].filter(isGone).map(over));
    return everyone(
      (await accounts.list()).map(({ id }) => id),
      keys.ids(),
    );
  }

  async #lookAtWaiting(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = this.#waiting.entries().take(AT_ONCE).toArray();
      await this.#raise(await this.#lookAt(batch.map(([, moved]) => moved)));
      for (const [name] of batch) this.#waiting.delete(name);
      await nextTurn();
    }
  }

  async #lookAt(batch: readonly Waiting[]): Promise<Found[]> {
    const { keys, alerts, nowMs } = this.#options;
    const atMs = nowMs();
    const ofKeys = batch.filter(({ scope }) => scope === "key");
    const spenders = ofKeys.filter(({ hasMoved }) => hasMoved).flatMap(({ id }) => keys.find(id) ?? []);
    return [
      ...(await this.#hours.look(this.#spendingOf(spenders, atMs), alerts.marks, atMs)),
      ...batch.filter(({ scope }) => scope === "account").flatMap(({ id, refused }) => this.#lookAtAccount(id, refused, atMs)),
      ...ofKeys.flatMap(({ id, refused }) => this.#lookAtKey(keys.find(id), refused, atMs)),
    ];
  }

  #lookAtAccount(id: string, refused: Refused, nowMs: number): Found[] {
    const { accounts, ledger, alerts } = this.#options;
    const account = accounts.find(id);
    if (!account) return [];
    const { name, caps } = account;
    return [
      ...checkLowCredit(account, refused, ledger, alerts.marks, nowMs),
      ...checkSpendCaps({ scope: "account", id, caps, refused, named: () => ({ account: { id, name } }) }, ledger, alerts.marks, nowMs),
    ];
  }

  #lookAtKey(record: KeyRecord | undefined, refused: Refused, nowMs: number): Found[] {
    if (!record) return [];
    const { ledger, alerts } = this.#options;
    const caps = isActive(record, nowMs) ? record.caps : NO_CAPS;
    return checkSpendCaps({ scope: "key", id: record.id, caps, refused, named: () => this.#nameKey(record) }, ledger, alerts.marks, nowMs);
  }

  #spendingOf(records: readonly KeyRecord[], nowMs: number): MovedKey[] {
    const { ledger } = this.#options;
    return records.map((record) => ({
      record,
      named: () => this.#nameKey(record),
      totalNanos: ledger.spendingOf("key", record.id, nowMs).totalNanos,
    }));
  }

  #nameKey({ id, name, accountId }: KeyRecord): Record<string, unknown> {
    const account = this.#options.accounts.find(accountId);
    return { key: { id, name }, account: { id: accountId, name: account?.name ?? accountId } };
  }

  async #raise(found: readonly Found[]): Promise<void> {
    const { webhooks, alerts, onRaised } = this.#options;
    const all = webhooks.list();
    for (let at = 0; at < found.length; at += AT_ONCE) {
      const part = found.slice(at, at + AT_ONCE);
      await alerts.raise(
        part.map((each) => ({
          ...each,
          webhookIds: all.filter((webhook) => each.alert && wants(webhook, each.alert)).map(({ id }) => id),
        })),
      );
    }
    if (found.some(({ alert }) => alert !== undefined)) onRaised();
  }
}

function* everyone(accountIds: readonly string[], keyIds: readonly string[]): Iterator<Moved> {
  for (const id of accountIds) yield { scope: "account", id };
  for (const id of keyIds) yield { scope: "key", id };
}
