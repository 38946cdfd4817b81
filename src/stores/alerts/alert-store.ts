import type { Alert, AlertKind } from "../../alerts/alert.ts";
import type { DeliveryState } from "../../alerts/delivery-state.ts";

/** That an alert about a subject was raised, and when. While the mark exists, the same alert is not raised again. */
export interface Mark {
  readonly value: string;
  readonly atMs: number;
}

/** The result of checking one subject: its mark from now on, if any, and the alert to send, with the webhooks that receive it. */
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
  /** The status of the response; null where there was no response. */
  readonly status: number | null;
  /** Why the attempt does not count as delivered, in words; null where it does. */
  readonly problem: string | null;
}

/** The delivery of one alert to one webhook. */
export interface Delivery {
  /** Increasing. */
  readonly id: number;
  readonly alertId: string;
  readonly kind: Alert["kind"];
  readonly webhookId: string;
  readonly state: DeliveryState;
  readonly createdAtMs: number;
  /** Null where no further attempt is due. */
  readonly nextAttemptAtMs: number | null;
  /** The last 30, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** A delivery whose next attempt is due, with the body to send. */
export interface DueDelivery {
  readonly id: number;
  readonly alertId: string;
  readonly body: string;
  /** Since the alert was raised or last redelivered. */
  readonly attemptsMade: number;
}

/**
 * Alerts, their deliveries to webhooks, and the marks that deduplicate them. Writes survive a crash of the process when they resolve, but
 * not necessarily a loss of power. They throw `StorageUnavailable` while the database cannot be written; nothing has changed then.
 */
export interface AlertStore {
  /** The marks of alerts that were raised and are not over, by subject. */
  readonly marks: ReadonlyMap<string, Mark>;
  /**
   * Writes findings: marks, and alerts with a pending delivery for each webhook, all or none. Where it throws, nothing was raised, and the
   * next check finds the same again. A webhook with more than a thousand pending deliveries loses the oldest, which are counted in `dropped`.
   *
   * An alert is also added to the list of raised alerts, where it is resolved when its mark is removed or another alert takes its place. Then
   * the webhooks that `resolveTo` returns for its kind receive a message that it is over.
   */
  raise(findings: readonly Finding[], nowMs: number, resolveTo?: (kind: AlertKind) => readonly string[]): Promise<void>;

  /**
   * Deliveries to a webhook whose next attempt is due, the longest overdue first. One process delivers at a time: while another takes over, both
   * may attempt the same one, and the receiver tells by the alert's id.
   */
  due(webhookId: string, nowMs: number, limit: number): Promise<readonly DueDelivery[]>;
  /** Records an attempt, and the delivery's next state. Does nothing where the webhook was deleted meanwhile. */
  recordAttempt(
    deliveryId: number,
    made: DeliveryAttempt,
    next: { readonly state: DeliveryState; readonly attemptAtMs: number | null },
  ): Promise<void>;
  /** Records a test message that an operator sent, with its only attempt. It is never due again by itself. */
  addTestDelivery(alert: Alert, webhookId: string, made: DeliveryAttempt): Promise<Delivery>;
  /** Makes a delivery in any state pending again, due now, with all of its attempts ahead of it. */
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
   * Retention: deletes ended deliveries to these webhooks that were raised before this moment, and of each webhook all but the newest ten
   * thousand; then alerts that no delivery refers to any more. In slices of 200, between which requests are served.
   */
  forgetEnded(webhookIds: readonly string[], beforeMs: number): Promise<void>;
  /**
   * Retention of the list of raised alerts: deletes those raised before this moment that are resolved or acknowledged, and all but the newest
   * ten thousand.
   */
  forgetRaised(beforeMs: number): Promise<void>;
}
