import type { Delivery } from "../../../stores/alerts/alert-store.ts";
import { DELIVERY_STATES } from "../../../alerts/delivery-state.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

export const deliverySchema = {
  title: "Delivery",
  type: "object",
  required: ["id", "message_id", "type", "state", "created_at", "next_attempt_at", "attempts"],
  properties: {
    id: { type: "integer" },
    message_id: { type: "string", description: "The `webhook-id` header, the same for every attempt." },
    type: { type: "string", description: "The kind of alert, such as `credit.low`." },
    state: {
      type: "string",
      enum: DELIVERY_STATES,
      description: "`failed` after the last attempt; `dropped` when too many deliveries were pending.",
    },
    created_at: timeSchema,
    next_attempt_at: { ...timeSchema, nullable: true, description: "The time of the next attempt; null when there is none." },
    attempts: {
      type: "array",
      description: "The last attempts, oldest first.",
      items: {
        title: "DeliveryAttempt",
        type: "object",
        required: ["at", "status", "duration_ms", "problem"],
        properties: {
          at: timeSchema,
          status: { type: "integer", nullable: true, description: "The HTTP status; null without a response." },
          duration_ms: { type: "integer" },
          problem: { type: "string", nullable: true, description: "The reason why the attempt failed; null when it succeeded." },
        },
      },
    },
  },
} as const satisfies Schema;

export function viewDelivery({ id, alertId, kind, state, createdAtMs, nextAttemptAtMs, attempts }: Delivery) {
  return {
    id,
    message_id: alertId,
    type: kind,
    state,
    created_at: viewTime(createdAtMs),
    next_attempt_at: viewTime(nextAttemptAtMs),
    attempts: attempts.map(({ atMs, status, durationMs, problem }) => ({ at: viewTime(atMs), status, duration_ms: durationMs, problem })),
  };
}
