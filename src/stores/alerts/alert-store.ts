import type { Alert, AlertKind } from "../../alerts/alert.ts";
import type { DeliveryState } from "../../alerts/delivery-state.ts";

/** Records that an alert about a subject was raised, and when. While the mark exists, the same alert is not raised again. */
export interface Mark {
  readonly value: string;
  readonly atMs: number;
}

/** The result of checking one subject: its new mark, if any, and the alert to send, with the webhooks that receive it. */
export interface Finding {
  readonly subject: string;
  readonly mark: Mark | undefined;
  readonly alert?: Alert;
  readonly webhookIds: readonly string[];
}

/** One HTTP call of a webhook, and its result. */
export interface DeliveryAttempt {
  readonly atMs: number;
  readonly durationMs: number;
  /** The status of the response; null without a response. */
  readonly status: number | null;
  /** Why the attempt does not count as delivered, as a message; null if it does. */
  readonly problem: string | null;
}

/** The delivery of one alert to one webhook. */
export interface Delivery {
  /** Ids increase. */
  readonly id: number;
  readonly alertId: string;
  readonly kind: Alert["kind"];
  readonly webhookId: string;
  readonly state: DeliveryState;
  readonly createdAtMs: number;
  /** Null if no further attempt is due. */
  readonly nextAttemptAtMs: number | null;
  /** The last 30 attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** A delivery whose next attempt is due, with the body to send. */
export interface DueDelivery {
  readonly id: number;
  readonly alertId: string;
  readonly body: string;
  /** The number of attempts since the alert was raised or last redelivered. */
  readonly attemptsMade: number;
}

/**
 * Alerts, their deliveries to webhooks, and the marks that deduplicate them. When a write resolves, it survives a crash of the process, but
 * not necessarily a loss of power. While the database cannot be written, writes throw `StorageUnavailable` and change nothing.
 */
export interface AlertStore {
  /** The marks of alerts that were raised and are not over, by subject. */
  readonly marks: ReadonlyMap<string, Mark>;
  /**
   * Writes findings, all or none: marks, and alerts with a pending delivery for each webhook. If this throws, nothing was raised, and the
   * next check returns the same findings. A webhook with more than 1,000 pending deliveries loses the oldest ones, which are counted in
   * `dropped`.
   *
   * An alert is also added to the list of raised alerts. It is resolved there when its mark is removed or another alert about its subject
   * replaces it. Then the webhooks that `resolveTo` returns for its kind receive a message that it is over.
   */
  raise(findings: readonly Finding[], nowMs: number, resolveTo?: (kind: AlertKind) => readonly string[]): Promise<void>;

  /**
   * Deliveries to a webhook whose next attempt is due, the longest overdue first. One process delivers at a time. While another process
   * takes over, both may attempt the same delivery; the receiver detects the duplicate by the alert's id.
   */
  due(webhookId: string, nowMs: number, limit: number): Promise<readonly DueDelivery[]>;
  /** Records an attempt, and the delivery's next state. Does nothing if the webhook was deleted meanwhile. */
  recordAttempt(
    deliveryId: number,
    made: DeliveryAttempt,
    next: { readonly state: DeliveryState; readonly attemptAtMs: number | null },
  ): Promise<void>;
  /** Records a test message that an operator sent, with its only attempt. It never becomes due by itself. */
  addTestDelivery(alert: Alert, webhookId: string, made: DeliveryAttempt): Promise<Delivery>;
  /** Makes a delivery in any state pending again: due now, with the full number of attempts. */
  redeliver(deliveryId: number, nowMs: number): Promise<void>;

  /** The delivery with this id, if it belongs to this webhook. */
  findDelivery(webhookId: string, deliveryId: number): Promise<Delivery | undefined>;
  /** Deliveries to a webhook with an id below `beforeId`, newest first. */
  deliveries(webhookId: string, state: DeliveryState | undefined, beforeId: number, limit: number): Promise<readonly Delivery[]>;

  /** The number of pending deliveries to all webhooks. */
  countPending(): Promise<number>;
  /** The number of deliveries dropped since startup, because too many were pending. */
  readonly dropped: number;
  /**
   * Retention of deliveries: deletes ended deliveries to these webhooks whose alerts were raised before this moment, and for each webhook
   * all but the newest 10,000. Then deletes alerts that no delivery refers to any more. Works in slices of 200 deliveries, between which
   * requests are served.
   */
  forgetEnded(webhookIds: readonly string[], beforeMs: number): Promise<void>;
  /**
   * Retention of the list of raised alerts: deletes alerts that were raised before this moment and are resolved or acknowledged, and all
   * but the newest 10,000.
   */
  forgetRaised(beforeMs: number): Promise<void>;
}
