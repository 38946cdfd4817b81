import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deliverer } from "../../src/alerts/delivery/deliverer.ts";
import { Refusals } from "../../src/alerts/rules/refusals.ts";
import { Watcher } from "../../src/alerts/rules/watcher.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { webhookCaller } from "../../src/upstreams/egress/call-webhook.ts";
import { makeAlert, type Alert, type AlertKind } from "../../src/alerts/alert.ts";
import { ownChange } from "../../src/access/change.ts";
import { parseDollars } from "../../src/money/money.ts";
import type { UpstreamHealth } from "../../src/models/upstream-health.ts";
import { makeWebhook, type Webhook } from "../../src/alerts/webhook.ts";
import type { CallWebhook } from "../../src/alerts/webhook-call.ts";
import type { SpendLimit } from "../../src/money/headroom.ts";
import { hold, settlement } from "../support/money/ledger-samples.ts";
import { endedRequest } from "../metrics/ended-requests.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

export const CHANGE = ownChange("test", { kind: "webhook", id: "test" }, null, 1);

/** The alert rules and the deliverer on a clock that only the test moves, with real stores. */
export class ClockedAlerts {
  readonly clock = { nowMs: Date.parse("2027-03-10T12:00:00Z") };
  readonly reports: string[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), "tollgate-alerts-"));
  stores!: Stores;
  deliverer!: Deliverer;
  watcher!: Watcher;
  refusals!: Refusals;
  health: UpstreamHealth["models"] = [];
  identity: UpstreamHealth["identity"] = undefined;
  usage: Pick<UpstreamHealth, "implausibleUsages" | "unpricedUsages" | "unpricedFields"> = {};
  /** The timeout of each webhook call. */
  timeoutMs: number;
  #requests = 0;

  static async open(timeoutMs = WAIT_LIMIT_MS): Promise<ClockedAlerts> {
    const alerts = new ClockedAlerts(timeoutMs);
    await alerts.#open();
    return alerts;
  }

  private constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  async #open(): Promise<void> {
    const nowMs = (): number => this.clock.nowMs;
    this.stores = await openStores({ ...STORE_OPTIONS, dataFolder: this.folder, nowMs });
    const { stores } = this;
    const call: CallWebhook = (...given) => webhookCaller(this.timeoutMs)(...given);
    this.deliverer = new Deliverer({ ...stores, call, nowMs, report: (message) => this.reports.push(message) });
    const upstreamHealth = (): UpstreamHealth => ({
      inFlight: 0,
      queued: 0,
      models: this.health,
      credentials: [],
      identity: this.identity,
      ...this.usage,
    });
    this.refusals = new Refusals();
    this.watcher = new Watcher({ ...stores, upstreamHealth, refusals: this.refusals, nowMs, onRaised: () => undefined });
  }

  async restart(): Promise<void> {
    await this.#close();
    await this.#open();
  }

  async stop(): Promise<void> {
    await this.#close();
    rmSync(this.folder, { recursive: true });
  }

  async #close(): Promise<void> {
    await this.watcher.close();
    await this.deliverer.close();
    await this.stores.close();
  }

  async addWebhook(url: string, kinds: readonly AlertKind[] | null = null): Promise<Webhook> {
    const webhook = makeWebhook({ name: url, url, allowPrivate: true, kinds, paused: null }, this.clock.nowMs);
    await this.stores.webhooks.update(webhook.id, () => ({ record: webhook, change: CHANGE }));
    return webhook;
  }

  /** Raises an alert for these webhooks. */
  async raise(...webhooks: readonly Webhook[]): Promise<Alert> {
    const alert = makeAlert("credit.low", { account: { id: "acme", name: "Acme" } }, this.clock.nowMs);
    const webhookIds = webhooks.map(({ id }) => id);
    await this.stores.alerts.raise([{ subject: alert.id, mark: undefined, alert, webhookIds }], this.clock.nowMs);
    return alert;
  }

  /** Spends this many dollars with a key of the account. */
  async spend(dollars: string, keyId = "key-1", accountId = "default"): Promise<void> {
    const requestId = `req_${this.#requests++}`;
    const nanos = parseDollars(dollars)!;
    const { ledger } = this.stores;
    await ledger.hold(hold(requestId, nanos, { accountId, keyId, atMs: this.clock.nowMs }));
    await ledger.settle(requestId, settlement(nanos, { atMs: this.clock.nowMs }));
  }

  /** Rejects a request of a key because of credit or a cap with this many dollars remaining. */
  refuse({ scope, what }: SpendLimit, dollars: string, keyId = "key-1"): void {
    const leftNanos = parseDollars(dollars)!;
    this.refusals.note(endedRequest({ status: 402 }, { keyId, accountId: "default", shortfall: { scope, what, leftNanos } }));
  }

  async grant(dollars: string, accountId = "default"): Promise<void> {
    const reference = `grant ${this.#requests++}`;
    const common = { accountId, atMs: this.clock.nowMs, actor: "test", reason: "test", reference };
    await this.stores.ledgerRecords.addCredit({ kind: "grant", amountNanos: parseDollars(dollars)!, ...common });
  }

  /** The payloads for a webhook, oldest first. */
  async told({ id }: Webhook): Promise<{ type: AlertKind; data: Record<string, unknown> }[]> {
    const due = await this.stores.alerts.due(id, Number.MAX_SAFE_INTEGER, 1000);
    return due.map(({ body }) => JSON.parse(body) as { type: AlertKind; data: Record<string, unknown> });
  }

  /** Evaluates the rules. Returns the new payloads for a webhook, and removes them. */
  async look(webhook: Webhook): Promise<{ type: AlertKind; data: Record<string, unknown> }[]> {
    await this.watcher.evaluate();
    const told = await this.told(webhook);
    const made = { atMs: 0, durationMs: 0, status: 200, problem: null };
    for (const { id } of await this.stores.alerts.due(webhook.id, Number.MAX_SAFE_INTEGER, 1000)) {
      await this.stores.alerts.recordAttempt(id, made, { state: "delivered", attemptAtMs: null });
    }
    return told;
  }
}
