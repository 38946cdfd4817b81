import type { Delivery } from "../../../stores/alerts/alert-store.ts";
import { DELIVERY_STATES } from "../../../alerts/delivery-state.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

export const deliverySchema: Schema = {
  title: "Delivery",
  type: "object",
  required: ["id", "message_id", "type", "state", "created_at", "next_try_at", "tries"],
  properties: {
    id: { type: "integer" },
    message_id: { type: "string", description: "The `webhook-id` that it is sent with, each time the same." },
    type: { type: "string", description: "The kind of alert, such as `credit.low`." },
    state: {
      type: "string",
      enum: DELIVERY_STATES,
      description: "`failed` after the last try; `dropped` where too many were pending.",
    },
    created_at: timeSchema,
    next_try_at: { ...timeSchema, nullable: true, description: "When it is sent next; null where it is not." },
    tries: {
      type: "array",
      description: "The last ones, oldest first.",
      items: {
        title: "Try",
        type: "object",
        required: ["at", "status", "duration_ms", "problem"],
        properties: {
          at: timeSchema,
          status: { type: "integer", nullable: true, description: "Of the answer; null where there was none." },
          duration_ms: { type: "integer" },
          problem: { type: "string", nullable: true, description: "Why it does not count, in words; null where it does." },
        },
      },
    },
  },
};

export function viewDelivery({ id, alertId, kind, state, createdAtMs, nextTryAtMs, tries }: Delivery): Record<string, unknown> {
  return {
    id,
    message_id: alertId,
    type: kind,
    state,
    created_at: viewTime(createdAtMs),
    next_try_at: viewTime(nextTryAtMs),
    tries: tries.map(({ atMs, status, durationMs, problem }) => ({ at: viewTime(atMs), status, duration_ms: durationMs, problem })),
  };
}
