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
import { crossing, isQuiet, clearedMark, type SubjectFinding, type Marks } from "./crossing.ts";
import { checkSpendCaps, type CappedSpender } from "./spend-caps.ts";
import { isLongOver, UnusualSpendRule, type KeyWithNewSpend } from "./unusual-spend.ts";
import { checkSoldBelowCost, isOfRemovedOffer, type Offer } from "./sold-below-cost.ts";
import { checkIdentityFailure, isOfRemovedIdentity } from "./identity-failure.ts";
import { isOfRemovedRoute, checkUpstreamEjection, type Routes } from "./upstream-ejection.ts";
import { NOTHING_REFUSED, type Refusals, type RefusedAmounts } from "./refusals.ts";
import type { Account } from "../../access/account.ts";
import { spendable } from "../../money/credit-line.ts";
import { makeAlert } from "../alert.ts";
import { formatDollars } from "../../money/money.ts";
import { servedBy, type Catalog, type Model } from "../../models/catalog.ts";

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
  /** Whether this process evaluates the rules: only one of the processes that share a database does. */
  readonly isLeader?: (() => boolean) | undefined;
  /** Called when an alert was raised. */
  readonly onRaised: () => void;
}

/** An account or a key to be checked. Its hourly spend is checked only if its spend has changed. */
interface PendingSpender extends ChangedSpender {
  readonly hasNewSpend: boolean;
  readonly refused: RefusedAmounts;
}

const EVALUATE_EVERY_MS = 2000;
/** The interval of the check for retiring models: retirement is a matter of days, and counting keys is expensive. */
const MODELS_EVERY_MS = 10 * 60_000;
/** Accounts and keys per slice. A slice blocks the event loop for a millisecond or two. */
const MAX_PER_SLICE = 200;
/**
 * The number of accounts and keys without new spend that are checked per evaluation, because their caps may have changed. A sweep over a
 * hundred thousand of them takes several minutes.
 */
const SWEEP_BATCH = 1000;

/**
 * Evaluates the alert rules every few seconds on the state in memory: never on the hot path, and only for accounts and keys whose spend
 * has changed. When an alert cannot be stored, the next evaluation finds it again.
 */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #unusualSpend: UnusualSpendRule;
  /** The queue of accounts and keys, by `key id` or `account id`. */
  readonly #waiting = new Map<string, PendingSpender>();
  #sweep: Iterator<ChangedSpender> | undefined;
  #modelsCheckedAtMs = Number.NEGATIVE_INFINITY;
  #pricesCheckedAtMs = Number.NEGATIVE_INFINITY;
  /** Whether prices must be checked, because models, price lists or assignments of lists have changed. */
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
        // The disk is full or slow, which the ledger reports too.
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
    await this.#raise(checkUnpricedUsage(routes, alerts.marks, nowMs()));
    await this.#checkModelRetirement();
    await this.#checkPrices();
    await this.#addSweepBatch();
    this.#addSpenders();
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
    // Compared in days, so a clock change also triggers a check.
    if (Math.abs(nowMs() - this.#modelsCheckedAtMs) < MODELS_EVERY_MS) return;
    await this.#raise(await checkModelRetirement(catalog.snapshot(), lastUsed, alerts.marks, nowMs()));
    this.#modelsCheckedAtMs = nowMs();
  }

  /**
   * Prices are checked when models, price lists or the lists of accounts change, and regularly, because prices take effect at their dates.
   */
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

  #addSpenders(): void {
    for (const moved of this.#options.ledgerRecords.takeChangedSpenders()) this.#add(moved, { hasNewSpend: true });
  }

  #addRefused(): void {
    for (const { refused, ...moved } of this.#options.refusals.take()) this.#add(moved, { refused });
  }

  /** Merges into an entry that may already be queued. */
  #add({ scope, id }: ChangedSpender, news: Partial<PendingSpender>): void {
    const name = `${scope} ${id}`;
    this.#waiting.set(name, { scope, id, hasNewSpend: false, refused: NOTHING_REFUSED, ...this.#waiting.get(name), ...news });
  }

  /** Queues the next part of all accounts and keys; after the last part it starts again. */
  async #addSweepBatch(): Promise<void> {
    this.#sweep ??= await this.#beginSweep();
    for (let left = SWEEP_BATCH; left > 0; left--) {
      const { done, value } = this.#sweep.next() as IteratorResult<ChangedSpender, undefined>;
      if (done) return void (this.#sweep = undefined);
      this.#add(value, {});
    }
  }

  /** All accounts and keys. First removes the marks of deleted subjects, and of keys whose last unusual hour was more than a day ago. */
  async #beginSweep(): Promise<Iterator<ChangedSpender>> {
    const { accounts, keys, catalog, alerts, nowMs } = this.#options;
    const models = catalog.snapshot();
    const isGone = (subject: string): boolean =>
      isOfRemovedRoute(subject, catalog.upstreams()) ||
      isOfRemovedIdentity(subject, catalog.upstreams()) ||
      isOfRemovedUpstream(subject, catalog.upstreams()) ||
      isOfRemovedModel(subject, models) ||
      isOfRemovedOffer(subject, models);
    const ended = [...alerts.marks].filter(([subject, mark]) => isGone(subject) || isLongOver(subject, mark, nowMs()));
    await this.#raise(ended.map(([subject]) => clearedMark(subject)));
    return everyone(accounts.ids(), keys.ids());
  }

  async #checkWaiting(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = this.#waiting.entries().take(MAX_PER_SLICE).toArray();
      await this.#raise(await this.#checkBatch(batch.map(([, moved]) => moved)));
      for (const [name] of batch) this.#waiting.delete(name);
      await nextTurn();
    }
  }

  async #checkBatch(batch: readonly PendingSpender[]): Promise<SubjectFinding[]> {
    const { keys, alerts, nowMs } = this.#options;
    const atMs = nowMs();
    const ofKeys = batch.filter(({ scope }) => scope === "key");
    const spenders = ofKeys.filter(({ hasNewSpend }) => hasNewSpend).flatMap(({ id }) => keys.find(id) ?? []);
    return [
      ...(await this.#unusualSpend.check(this.#spendingOf(spenders, atMs), alerts.marks, atMs)),
      ...batch.filter(({ scope }) => scope === "account").flatMap(({ id, refused }) => this.#checkAccount(id, refused, atMs)),
      ...ofKeys.flatMap(({ id, refused }) => this.#checkKey(keys.find(id), refused, atMs)),
    ];
  }

  #checkAccount(id: string, refused: RefusedAmounts, nowMs: number): SubjectFinding[] {
    const { accounts, ledgerRecords, alerts } = this.#options;
    const account = accounts.find(id);
    if (!account) return [];
    const { name, caps } = account;
    const capped: CappedSpender = { scope: "account", id, caps, refused, named: () => ({ account: { id, name } }) };
    return [
      ...checkLowCredit(account, refused, ledgerRecords, alerts.marks, nowMs),
      ...checkSpendCaps(capped, ledgerRecords, alerts.marks, nowMs),
    ];
  }

  #checkKey(record: KeyRecord | undefined, refused: RefusedAmounts, nowMs: number): SubjectFinding[] {
    if (!record) return [];
    const { ledgerRecords, alerts } = this.#options;
    const caps = isActive(record, nowMs) ? record.caps : NO_CAPS;
    const capped: CappedSpender = { scope: "key", id: record.id, caps, refused, named: () => this.#nameKey(record) };
    return checkSpendCaps(capped, ledgerRecords, alerts.marks, nowMs);
  }

  #spendingOf(records: readonly KeyRecord[], nowMs: number): KeyWithNewSpend[] {
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

  async #raise(found: readonly SubjectFinding[]): Promise<void> {
    const { webhooks, alerts, nowMs, onRaised } = this.#options;
    const all = webhooks.list();
    for (let at = 0; at < found.length; at += MAX_PER_SLICE) {
      const part = found.slice(at, at + MAX_PER_SLICE);
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

/**
 * `credit.low`: the account's balance, with its credit line, is below its threshold or, without one, zero or too low for a request. The
 * cost bound of a request is reserved first, so most balances never reach zero. An account that never spent anything is new, not low.
 */
export function checkLowCredit(
  account: Account,
  refused: RefusedAmounts,
  ledger: LedgerRecordStore,
  marks: Marks,
  nowMs: number,
): SubjectFinding[] {
  const { id, name, lowCreditNanos } = account;
  const creditNanos = spendable(ledger.balanceOf(id).creditNanos, account.creditLine);
  const { totalNanos } = ledger.spendingOf("account", id, nowMs);
  const subject = `credit ${id}`;
  // Rejected requests leave no ledger entry: the condition stays true until credit is added or removed.
  const refusedValue = `refused ${creditNanos + totalNanos}`;
  const wasRefused = marks.get(subject)?.value === refusedValue;
  const refusedAt = refused.get("credit");
  // If the balance is higher than at the rejection, credit has been added.
  const isRefused = lowCreditNanos === null && (wasRefused || (refusedAt !== undefined && creditNanos <= refusedAt));
  const isLow = totalNanos > 0n && (lowCreditNanos === null ? creditNanos <= 0n : creditNanos < lowCreditNanos);
  const condition = { subject, isMet: isLow || isRefused, value: isLow ? "low" : refusedValue };
  return crossing(condition, marks, nowMs, () => {
    if (wasRefused) return undefined;
    const data = { account: { id, name }, credit: formatDollars(creditNanos), low_credit: formatDollars(lowCreditNanos ?? 0n) };
    return makeAlert("credit.low", data, nowMs);
  });
}

/** The minimum time between two alerts for an upstream: a server with a known defect must not raise alerts all day. */
const QUIET_MS = 24 * 60 * 60_000;

/** `upstream.usage_implausible`: upstreams that report token counts which are not charged. The mark has the count of the last alert. */
function checkImplausibleUsage({ upstreams, catalog, healthOf }: Routes, marks: Marks, nowMs: number): SubjectFinding[] {
  return [...upstreams.values()].flatMap((settings) => {
    const subject = subjectOf(settings.id);
    const mark = marks.get(subject);
    const count = healthOf(settings).implausibleUsages ?? 0;
    // The count restarts at zero with each process.
    if (count === 0 || count === Number(mark?.value) || (mark && isQuiet(mark, nowMs, QUIET_MS))) return [];
    const data = { upstream: settings.id, count, models: servedBy(settings.id, catalog) };
    return [{ subject, mark: { value: String(count), atMs: nowMs }, alert: makeAlert("upstream.usage_implausible", data, nowMs) }];
  });
}

/** `upstream.usage_unpriced`: upstreams that report usage without a price. The mark has the count of the last alert. */
function checkUnpricedUsage({ upstreams, catalog, healthOf }: Routes, marks: Marks, nowMs: number): SubjectFinding[] {
  return [...upstreams.values()].flatMap((settings) => {
    const subject = `unpriced ${settings.id}`;
    const mark = marks.get(subject);
    const { unpricedUsages: count = 0, unpricedFields = [] } = healthOf(settings);
    if (count === 0 || count === Number(mark?.value) || (mark && isQuiet(mark, nowMs, QUIET_MS))) return [];
    const data = { upstream: settings.id, count, fields: unpricedFields, models: servedBy(settings.id, catalog) };
    return [{ subject, mark: { value: String(count), atMs: nowMs }, alert: makeAlert("upstream.usage_unpriced", data, nowMs) }];
  });
}

/** Whether this is the subject of a removed upstream. */
function isOfRemovedUpstream(subject: string, upstreams: ReadonlyMap<string, unknown>): boolean {
  const [kind, id] = subject.split(" ");
  return (kind === "usage" || kind === "unpriced") && !upstreams.has(id!);
}

function subjectOf(upstream: string): string {
  return `usage ${upstream}`;
}

const DAY_MS = 86_400_000;

/** The numbers of days before the shutdown date at which an alert is raised if the model is still in use; 0 is the shutdown date itself. */
const STAGES_DAYS = [0, 1, 7, 30];

/** A model counts as in use for this long after its last request. */
const RECENT_DAYS = 7;

const KEYS_AT_ONCE = 1000;

/** `model.retiring`: deprecated models near their shutdown date that are still in use. */
async function checkModelRetirement(catalog: Catalog, lastUsed: LastUsedStore, marks: Marks, nowMs: number): Promise<SubjectFinding[]> {
  const found: SubjectFinding[] = [];
  for (const model of catalog.values()) found.push(...(await checkModel(model, lastUsed, marks, nowMs)));
  return found;
}

async function checkModel({ id, state }: Model, lastUsed: LastUsedStore, marks: Marks, nowMs: number): Promise<SubjectFinding[]> {
  const subject = `model ${id}`;
  if (state.name !== "deprecated") return crossing({ subject, isMet: false, value: "" }, marks, nowMs, () => undefined);
  const { shutdownDate, replacement } = state;
  const daysLeft = Math.ceil((Date.parse(shutdownDate) - nowMs) / DAY_MS);
  const stage = STAGES_DAYS.find((days) => daysLeft <= days);
  const value = `${shutdownDate} ${stage}`;
  // Counting keys is expensive, and unnecessary after the alert.
  if (stage !== undefined && marks.get(subject)?.value === value) return [];
  const keys = stage === undefined ? 0 : await countKeys(id, lastUsed, nowMs);
  return crossing({ subject, isMet: stage !== undefined && keys > 0, value }, marks, nowMs, () =>
    makeAlert(
      "model.retiring",
      { model: id, shutdown_date: shutdownDate, days_left: Math.max(0, daysLeft), replacement, keys_in_last_7_days: keys },
      nowMs,
    ),
  );
}

async function countKeys(model: string, lastUsed: LastUsedStore, nowMs: number): Promise<number> {
  const filter = { sinceMs: nowMs - RECENT_DAYS * DAY_MS, accountIds: [] };
  let count = 0;
  for (let after: string | undefined; ;) {
    const page = await lastUsed.keysUsing(model, filter, after, KEYS_AT_ONCE);
    count += page.length;
    if (page.length < KEYS_AT_ONCE) return count;
    after = page.at(-1)!.keyId;
    await nextTurn();
  }
}

/** Whether this is the subject of a removed model. */
function isOfRemovedModel(subject: string, catalog: Catalog): boolean {
  return subject.startsWith("model ") && !catalog.has(subject.slice("model ".length));
}
