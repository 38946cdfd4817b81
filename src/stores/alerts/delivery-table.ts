import type { Generated, Selectable } from "kysely";
import type { Alert } from "../../alerts/alert.ts";
import type { DeliveryState } from "../../alerts/delivery-state.ts";
import type { Delivery, Try } from "./alert-store.ts";

/** A row of `deliveries`. `tries` is a JSON array. */
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

/** Attempts that a row tells of: one that is sent again and again must not grow without end. */
const TRIES_KEPT = 30;

export function fromRow(row: Selectable<DeliveryTable> & { kind: string }): Delivery {
  return {
    id: row.id,
    alertId: row.alert_id,
    kind: row.kind as Alert["kind"],
    webhookId: row.webhook_id,
    state: row.state,
    createdAtMs: row.created_at_ms,
    nextTryAtMs: row.next_try_at_ms,
    tries: readTries(row.tries),
  };
}

export function writeTries(tries: readonly Try[]): string {
  return JSON.stringify(tries.slice(-TRIES_KEPT));
}

export function readTries(text: string): readonly Try[] {
  return JSON.parse(text) as Try[];
}
