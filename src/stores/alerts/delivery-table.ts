import type { Generated, Selectable } from "kysely";
import type { Alert } from "../../alerts/alert.ts";
import type { DeliveryState } from "../../alerts/delivery-state.ts";
import type { Delivery, DeliveryAttempt } from "./alert-store.ts";

/** A row of `deliveries`. `tries` is a JSON array of attempts. */
export interface DeliveryTable {
  id: Generated<number>;
  alert_id: string;
  webhook_id: string;
  state: DeliveryState;
  created_at_ms: number;
  next_try_at_ms: number | null;
  tries_made: number;
  tries: string;
}

/** Only the latest attempts are stored: a delivery that is redelivered again and again must not grow without bound. */
const ATTEMPTS_STORED = 30;

export function fromRow(row: Selectable<DeliveryTable> & { kind: string }): Delivery {
  return {
    id: row.id,
    alertId: row.alert_id,
    kind: row.kind as Alert["kind"],
    webhookId: row.webhook_id,
    state: row.state,
    createdAtMs: row.created_at_ms,
    nextAttemptAtMs: row.next_try_at_ms,
    attempts: readAttempts(row.tries),
  };
}

export function writeAttempts(attempts: readonly DeliveryAttempt[]): string {
  return JSON.stringify(attempts.slice(-ATTEMPTS_STORED));
}

export function readAttempts(text: string): readonly DeliveryAttempt[] {
  return JSON.parse(text) as DeliveryAttempt[];
}
