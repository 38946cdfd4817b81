import type { Alert } from "../../alerts/alert.ts";
import type { DeliveryState } from "../../alerts/delivery-state.ts";

/** That something was told of a subject, and when. While it is there, it is not told again. */
export interface Mark {
  readonly value: string;
  readonly atMs: number;
}

/** What a look has found of one subject: how it is marked from now on, if at all, and what is to be told, and whom. */
export interface Finding {
  readonly subject: string;
  readonly mark: Mark | undefined;
  readonly alert?: Alert;
  readonly webhookIds: readonly string[];
}

/** One call of a receiver, and what came of it. */
export interface DeliveryAttempt {
  readonly atMs: number;
  readonly durationMs: number;
  /** Of its answer; null where there was none. */
  readonly status: number | null;
  /** Why it does not count as delivered, in words; null where it does. */
  readonly problem: string | null;
}

/** One alert on its way to one webhook. */
export interface Delivery {
  /** They count up. */
  readonly id: number;
  readonly alertId: string;
  readonly kind: Alert["kind"];
  readonly webhookId: string;
  readonly state: DeliveryState;
  readonly createdAtMs: number;
  /** Null where there is none to come. */
  readonly nextAttemptAtMs: number | null;
  /** The last ones, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** A delivery whose next try is due, with what it takes. */
export interface DueDelivery {
  readonly id: number;
  readonly alertId: string;
  readonly body: string;
  /** Since it was raised, or last sent again. */
  readonly attemptsMade: number;
}

/** Alerts and their deliveries, and what has been told already. What is raised outlives the process. */
export interface AlertStore {
  /** What was told and is not over, by subject. */
  readonly marks: ReadonlyMap<string, Mark>;
  /**
   * Writes what was found: alerts with a delivery for each webhook, and the marks, all of it or nothing. Throws where it cannot be
   * written: then nothing has been told, and the next look finds the same again.
   */
  raise(findings: readonly Finding[]): Promise<void>;

  /** Deliveries to a webhook whose next try is due, the longest due first. */
  due(webhookId: string, nowMs: number, limit: number): Promise<readonly DueDelivery[]>;
  /** Notes a try, and what is to come of the delivery. */
  recordAttempt(
    deliveryId: number,
    made: DeliveryAttempt,
    next: { readonly state: DeliveryState; readonly attemptAtMs: number | null },
  ): Promise<void>;
  /** Writes down a message that was tried by hand, once. */
  addTestDelivery(alert: Alert, webhookId: string, made: DeliveryAttempt): Promise<Delivery>;
  /** Makes a delivery pending again, whatever has become of it, from its first try on. */
  redeliver(deliveryId: number, nowMs: number): Promise<void>;

  findDelivery(webhookId: string, deliveryId: number): Promise<Delivery | undefined>;
  /** Deliveries to a webhook with an id below `beforeId`, newest first. */
  deliveries(webhookId: string, state: DeliveryState | undefined, beforeId: number, limit: number): Promise<readonly Delivery[]>;

  countPending(): Promise<number>;
  /** How many were dropped since the start, because too many were pending. */
  readonly dropped: number;
  /** Forgets deliveries to these webhooks that have ended: those raised before this moment, and of each all but the newest ten thousand. */
  forgetEnded(webhookIds: readonly string[], beforeMs: number): Promise<void>;
}
