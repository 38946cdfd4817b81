import { ALERT_KINDS } from "../../../alerts/alert.ts";
import { describeAlert } from "../../../alerts/describe-alert.ts";
import { aboutWhat, ALERT_STATES, isRaisedKind, stateOf, type RaisedAlert } from "../../../alerts/raised-alert.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

/** The kinds of alerts in the list. */
export const RAISED_KINDS = ALERT_KINDS.filter(isRaisedKind);

export const alertSchema = {
  title: "Alert",
  type: "object",
  required: [
    "id",
    "type",
    "state",
    "title",
    "summary",
    "raised_at",
    "resolved_at",
    "acknowledged_at",
    "acknowledged_by",
    "account",
    "key",
    "upstream",
    "model",
    "data",
  ],
  properties: {
    id: { type: "string", description: "The same as the `webhook-id` of its messages." },
    type: { type: "string", description: "The kind of alert, such as `credit.low`." },
    state: {
      type: "string",
      enum: ALERT_STATES,
      description: "`open` until it is acknowledged, or its condition has ended and it is `resolved`.",
    },
    title: { type: "string", description: "A short title in English." },
    summary: { type: "string", description: "One sentence in English." },
    raised_at: timeSchema,
    resolved_at: { ...timeSchema, nullable: true, description: "The time at which the condition ended; null while it lasts." },
    acknowledged_at: { ...timeSchema, nullable: true },
    acknowledged_by: {
      title: "AlertAcknowledger",
      type: "object",
      nullable: true,
      required: ["id", "name"],
      properties: { id: { type: "string" }, name: { type: "string" } },
    },
    account: { type: "string", nullable: true, description: "The id of the account that it is about." },
    key: { type: "string", nullable: true, description: "The id of the key that it is about." },
    upstream: { type: "string", nullable: true, description: "The id of the upstream that it is about." },
    model: { type: "string", nullable: true, description: "The id of the model that it is about." },
    data: { type: "object", description: "The same as `data` of its messages." },
  },
} as const satisfies Schema;

export function viewAlert(alert: RaisedAlert) {
  const { id, kind, atMs, data, resolvedAtMs, acknowledged } = alert;
  const { title, summary } = describeAlert(alert);
  const { accountId, keyId, upstream, model } = aboutWhat(data);
  return {
    id,
    type: kind,
    state: stateOf(alert),
    title,
    summary,
    raised_at: viewTime(atMs),
    resolved_at: viewTime(resolvedAtMs),
    acknowledged_at: viewTime(acknowledged?.atMs ?? null),
    acknowledged_by: acknowledged && { id: acknowledged.by, name: acknowledged.byName },
    account: accountId,
    key: keyId,
    upstream,
    model,
    data,
  };
}
