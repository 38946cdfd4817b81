import type { AlertStore, Delivery, DueDelivery, Try } from "../../stores/alerts/alert-store.ts";
import type { WebhookStore } from "../../stores/alerts/webhook-store.ts";
import { bodyOfAlert, makeAlert, TEST_KIND } from "../alert.ts";
import { ownChange } from "../../access/change.ts";
import { describeWebhook, secretsAt, type Webhook } from "../webhook.ts";
import type { CallWebhook, WebhookAnswer } from "../webhook-call.ts";
import { signedHeaders } from "./webhook-signature.ts";
import { MAX_ATTEMPTS, waitAfter } from "./next-attempt.ts";

export interface DelivererOptions {
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly call: CallWebhook;
  readonly nowMs: () => number;
  /** Hears what an operator should know, as a sentence. */
  readonly report: (message: string) => void;
}

/** What metrics want to know of deliveries. The counts are since the start. */
export interface DeliverySnapshot {
  readonly pending: number;
  readonly delivered: number;
  readonly failedTries: number;
  readonly dropped: number;
}

const LOOK_EVERY_MS = 1000;
const FORGET_EVERY_MS = 60_000;
/** How long the log of what has ended is kept. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** Calls that one webhook has under way at most. Each has its own, so that one that hangs keeps nobody else waiting. */
const AT_ONCE = 4;

/** The calls of one webhook. */
interface Calls {
  /** The deliveries under way. */
  readonly underWay: Set<number>;
  /** How many have ended since the start. */
  ended: number;
}

/** Sends what was raised, again and again until it has arrived. What it knows is in the store: a crash loses nothing. */
export class Deliverer {
  readonly #options: DelivererOptions;
  /** By webhook. */
  readonly #calls = new Map<string, Calls>();
  readonly #ending = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  #timers: Timer[] = [];
  #delivered = 0;
  #failedTries = 0;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.wake(), LOOK_EVERY_MS).unref(),
      setInterval(() => void this.forgetOld().catch(() => undefined), FORGET_EVERY_MS).unref(),
    ];
    void this.forgetOld().catch(() => undefined);
  }

  /** Looks for what is due now. */
  wake(): void {
    if (this.#ending.signal.aborted) return;
    const sending = this.sendDue()
      // The database cannot be read at the moment. The next look is a second away.
      .catch(() => undefined)
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Sends what is due, to each webhook as much at once as it may have, and waits for what comes of it. */
  async sendDue(): Promise<void> {
    const { webhooks } = this.#options;
    await Promise.all(webhooks.list().map((webhook) => this.#sendDueTo(webhook.id)));
  }

  /** Sends a message of no meaning, whether or not the webhook is paused, and tells what came of it. It is not tried again. */
  async sendTest(webhook: Webhook): Promise<Delivery> {
    const { alerts, nowMs } = this.#options;
    const { id, name } = webhook;
    const alert = makeAlert(TEST_KIND, { webhook: { id, name } }, nowMs());
    const { made } = await this.#try(webhook, alert.id, bodyOfAlert(alert));
    return alerts.addTried(alert, id, made);
  }

  async snapshot(): Promise<DeliverySnapshot> {
    const { alerts } = this.#options;
    return {
      pending: await alerts.countPending(),
      delivered: this.#delivered,
      failedTries: this.#failedTries,
      dropped: alerts.dropped,
    };
  }

  async forgetOld(): Promise<void> {
    const { webhooks, alerts, nowMs } = this.#options;
    await alerts.forgetEnded(
      webhooks.list().map(({ id }) => id),
      nowMs() - KEPT_MS,
    );
  }

  /** Breaks off what is under way. It stays pending, and the next start sends it. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#ending.abort();
    await Promise.all(this.#sending);
  }

  async #sendDueTo(webhookId: string): Promise<void> {
    const { webhooks, alerts, nowMs } = this.#options;
    const calls = this.#callsTo(webhookId);
    const { underWay, ended } = calls;
    // Those under way are pending too, and among the first.
    const due = await alerts.due(webhookId, nowMs(), 2 * AT_ONCE);
    // What has ended while we read may be among these, as pending still. Whoever ended it looks again.
    if (calls.ended !== ended) return;
    const webhook = webhooks.find(webhookId);
    if (!webhook || webhook.paused !== null || this.#ending.signal.aborted) return;
    const free = AT_ONCE - underWay.size;
    const next = due.filter(({ id }) => !underWay.has(id)).slice(0, Math.max(0, free));
    await Promise.all(next.map((delivery) => this.#send(webhook, delivery, calls)));
  }

  async #send(webhook: Webhook, delivery: DueDelivery, calls: Calls): Promise<void> {
    calls.underWay.add(delivery.id);
    try {
      const { made, answer } = await this.#try(webhook, delivery.alertId, delivery.body);
      await this.#note(webhook, delivery, made, answer);
    } catch {
      // We are ending, or it could not be written: it is pending still, and will be sent again.
      return;
    } finally {
      calls.underWay.delete(delivery.id);
      calls.ended++;
    }
    await this.#sendDueTo(webhook.id);
  }

  async #try(webhook: Webhook, id: string, body: string): Promise<{ made: Try; answer: WebhookAnswer }> {
    const { call, nowMs } = this.#options;
    const atMs = nowMs();
    const headers = signedHeaders({ id, atMs, body }, secretsAt(webhook, atMs));
    const { url, allowPrivate } = webhook;
    const startedAtMs = performance.now();
    const answer = await call({ url, allowPrivate, headers, body }, this.#ending.signal);
    const { status, problem } = answer;
    if (problem === null) this.#delivered++;
    else this.#failedTries++;
    return { made: { atMs, durationMs: Math.round(performance.now() - startedAtMs), status, problem }, answer };
  }

  async #note(webhook: Webhook, delivery: DueDelivery, made: Try, { status, problem, retryAfterMs }: WebhookAnswer): Promise<void> {
    const { alerts, report } = this.#options;
    if (problem === null) return alerts.noteTry(delivery.id, made, { state: "delivered", tryAtMs: null });
    // It wants nothing any more (RFC 9110 §15.5.11).
    const wait = status === 410 ? undefined : waitAfter(delivery.triesMade + 1, retryAfterMs, Math.random());
    if (wait !== undefined) return alerts.noteTry(delivery.id, made, { state: "pending", tryAtMs: made.atMs + wait });
    await alerts.noteTry(delivery.id, made, { state: "failed", tryAtMs: null });
    if (status === 410) return this.#pause(webhook.id);
    report(`the webhook ${webhook.id} did not take an alert in ${MAX_ATTEMPTS} tries: ${problem}`);
  }

  async #pause(webhookId: string): Promise<void> {
    const { webhooks, nowMs, report } = this.#options;
    const webhook = webhooks.find(webhookId);
    if (!webhook || webhook.paused !== null) return;
    const paused = { ...webhook, paused: "it answered with status 410" };
    const change = ownChange("webhook.pause", { kind: "webhook", id: webhook.id }, describeWebhook(paused), nowMs());
    await webhooks.put(paused, { ...change, before: describeWebhook(webhook) });
    report(`the webhook ${webhook.id} is paused: it answered with status 410`);
  }

  #callsTo(webhookId: string): Calls {
    let calls = this.#calls.get(webhookId);
    if (!calls) this.#calls.set(webhookId, (calls = { underWay: new Set(), ended: 0 }));
    return calls;
  }
}
