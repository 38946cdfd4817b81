import type { AlertStore, Delivery, DueDelivery, DeliveryAttempt } from "../../stores/alerts/alert-store.ts";
import type { WebhookStore } from "../../stores/alerts/webhook-store.ts";
import { bodyOfAlert, makeAlert, TEST_KIND } from "../alert.ts";
import { ownChange } from "../../access/change.ts";
import { describeWebhook, type Webhook } from "../webhook.ts";
import type { WebhookAnswer } from "../webhook-call.ts";
import { sendToChannel, type AlertSenders } from "./channels/send-to-channel.ts";
import { MAX_DELIVERY_WAIT_MS } from "../delivery-state.ts";

export interface DelivererOptions extends AlertSenders {
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly nowMs: () => number;
  /** Whether this process delivers: only one of the processes that share a database does. */
  readonly isLeader?: (() => boolean) | undefined;
  /** Logs a message for operators. */
  readonly report: (message: string) => void;
}

/** Delivery metrics. The counters are since startup. */
interface DeliverySnapshot {
  readonly pending: number;
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly dropped: number;
}

const POLL_EVERY_MS = 1000;
const FORGET_EVERY_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** Retention of ended deliveries. */
const RETENTION_MS = 30 * DAY_MS;
/** Retention of raised alerts that are resolved or acknowledged. */
const RAISED_RETENTION_MS = 90 * DAY_MS;
/** Maximum concurrent calls per webhook. The limit is per webhook, so that a webhook that hangs does not block the others. */
const MAX_CONCURRENT_CALLS = 4;

/** The calls of one webhook. */
interface WebhookCalls {
  /** Deliveries in flight. */
  readonly inFlight: Set<number>;
  /** The number of calls that have ended since startup. */
  ended: number;
}

/** Delivers alerts to webhooks, with retries. Its state is in the store, so a crash loses nothing. */
export class Deliverer {
  readonly #options: DelivererOptions;
  /** The calls in flight, by webhook id. */
  readonly #calls = new Map<string, WebhookCalls>();
  readonly #ending = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  #timers: Timer[] = [];
  #delivered = 0;
  #failedAttempts = 0;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.wake(), POLL_EVERY_MS).unref(),
      setInterval(() => void this.forgetOld().catch(() => undefined), FORGET_EVERY_MS).unref(),
    ];
    void this.forgetOld().catch(() => undefined);
  }

  /** Starts due deliveries now. */
  wake(): void {
    if (this.#ending.signal.aborted || this.#options.isLeader?.() === false) return;
    const sending = this.sendDue()
      // The database cannot be read at the moment. The next poll follows in a second.
      .catch(() => undefined)
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Sends due deliveries, to each webhook up to its concurrency limit, and waits for the results. */
  async sendDue(): Promise<void> {
    const { webhooks } = this.#options;
    await Promise.all(webhooks.list().map((webhook) => this.#sendDueTo(webhook.id)));
  }

  /** Sends a test message, even to a paused webhook, and returns the delivery. It is not retried. */
  async sendTest(webhook: Webhook): Promise<Delivery> {
    const { alerts, nowMs } = this.#options;
    const { id, name } = webhook;
    const alert = makeAlert(TEST_KIND, { webhook: { id, name } }, nowMs());
    const { made } = await this.#attempt(webhook, alert.id, bodyOfAlert(alert));
    return alerts.addTestDelivery(alert, id, made);
  }

  async snapshot(): Promise<DeliverySnapshot> {
    const { alerts } = this.#options;
    return {
      pending: await alerts.countPending(),
      delivered: this.#delivered,
      failedAttempts: this.#failedAttempts,
      dropped: alerts.dropped,
    };
  }

  async forgetOld(): Promise<void> {
    const { webhooks, alerts, nowMs, isLeader } = this.#options;
    if (isLeader?.() === false) return;
    await alerts.forgetEnded(
      webhooks.list().map(({ id }) => id),
      nowMs() - RETENTION_MS,
    );
    await alerts.forgetRaised(nowMs() - RAISED_RETENTION_MS);
  }

  /** Cancels calls in flight. Their deliveries stay pending, and are sent after the next start. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#ending.abort();
    await Promise.all(this.#sending);
  }

  async #sendDueTo(webhookId: string): Promise<void> {
    const { webhooks, alerts, nowMs } = this.#options;
    const calls = this.#callsTo(webhookId);
    const { inFlight, ended } = calls;
    // Deliveries in flight are also pending, and are among the first in the list.
    const due = await alerts.due(webhookId, nowMs(), 2 * MAX_CONCURRENT_CALLS);
    // A delivery that ended during this read may still be listed as pending. The function that sent it polls again.
    if (calls.ended !== ended) return;
    const webhook = webhooks.find(webhookId);
    if (!webhook || webhook.paused !== null || this.#ending.signal.aborted) return;
    const free = MAX_CONCURRENT_CALLS - inFlight.size;
    const next = due.filter(({ id }) => !inFlight.has(id)).slice(0, Math.max(0, free));
    await Promise.all(next.map((delivery) => this.#send(webhook, delivery, calls)));
  }

  async #send(webhook: Webhook, delivery: DueDelivery, calls: WebhookCalls): Promise<void> {
    calls.inFlight.add(delivery.id);
    try {
      const { made, answer } = await this.#attempt(webhook, delivery.alertId, delivery.body);
      await this.#note(webhook, delivery, made, answer);
    } catch {
      // The process is shutting down, or the result could not be stored: the delivery is still pending, and will be sent again.
      return;
    } finally {
      calls.inFlight.delete(delivery.id);
      calls.ended++;
    }
    await this.#sendDueTo(webhook.id);
  }

  async #attempt(webhook: Webhook, id: string, body: string): Promise<{ made: DeliveryAttempt; answer: WebhookAnswer }> {
    const atMs = this.#options.nowMs();
    const startedAtMs = performance.now();
    const answer = await sendToChannel(webhook, { id, atMs, body }, this.#options, this.#ending.signal);
    const { status, problem } = answer;
    if (problem === null) this.#delivered++;
    else this.#failedAttempts++;
    return { made: { atMs, durationMs: Math.round(performance.now() - startedAtMs), status, problem }, answer };
  }

  async #note(
    webhook: Webhook,
    delivery: DueDelivery,
    made: DeliveryAttempt,
    { status, problem, retryAfterMs }: WebhookAnswer,
  ): Promise<void> {
    const { alerts, report } = this.#options;
    if (problem === null) return alerts.recordAttempt(delivery.id, made, { state: "delivered", attemptAtMs: null });
    // 410 Gone: the receiver wants no more messages (RFC 9110 §15.5.11).
    const wait = status === 410 ? undefined : waitAfter(delivery.attemptsMade + 1, retryAfterMs, Math.random());
    if (wait !== undefined) return alerts.recordAttempt(delivery.id, made, { state: "pending", attemptAtMs: made.atMs + wait });
    await alerts.recordAttempt(delivery.id, made, { state: "failed", attemptAtMs: null });
    if (status === 410) return this.#pause(webhook.id);
    report(`the webhook ${webhook.id} did not accept an alert in ${MAX_ATTEMPTS} attempts: ${problem}`);
  }

  async #pause(webhookId: string): Promise<void> {
    const { webhooks, nowMs, report } = this.#options;
    const paused = await webhooks.update(webhookId, (webhook) => {
      if (!webhook || webhook.paused !== null) return undefined;
      const record = { ...webhook, paused: "it returned status 410" };
      const change = ownChange("webhook.pause", { kind: "webhook", id: webhookId }, describeWebhook(record), nowMs());
      return { record, change: { ...change, before: describeWebhook(webhook) } };
    });
    if (paused) report(`the webhook ${webhookId} is paused: it returned status 410`);
  }

  #callsTo(webhookId: string): WebhookCalls {
    return this.#calls.getOrInsertComputed(webhookId, () => ({ inFlight: new Set(), ended: 0 }));
  }
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The retry schedule: short waits for brief failures, long waits for outages, a day in total. */
const WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];

export const MAX_ATTEMPTS = WAITS_MS.length + 1;

/** The maximum jitter, so that deliveries that failed together are not retried together. */
const JITTER = 0.25;

/** The wait after this number of attempts; undefined after the last. `random` is from 0 to 1. */
export function waitAfter(attempts: number, retryAfterMs: number | null, random: number): number | undefined {
  const wait = WAITS_MS[attempts - 1];
  if (wait === undefined) return undefined;
  return Math.max(Math.round(wait * (1 + JITTER * random)), Math.min(retryAfterMs ?? 0, MAX_DELIVERY_WAIT_MS));
}
