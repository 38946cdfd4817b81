import { ALERT_KINDS } from "../../../alerts/alert.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { plainTextSchema } from "../../../lib/schema/plain-text.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema } from "../fields/times.ts";

/** What a webhook is made with and can be changed to. */
export const webhookFields = {
  name: nameSchema,
  url: {
    ...plainTextSchema,
    maxLength: 2000,
    description: "Where alerts are sent to: https://, or http:// to this machine. It is shown to operators, and in the audit log.",
  },
  allow_private: { type: "boolean", description: "Whether it may be on this machine or a private network. False, if it is left out." },
  alerts: {
    type: "array",
    items: { type: "string", enum: ALERT_KINDS },
    minItems: 1,
    nullable: true,
    description: "The kinds of alerts that it is sent. Null for all of them.",
  },
  paused: { type: "boolean", description: "Whether nothing is sent for now. Alerts that come up meanwhile are not sent later." },
} as const satisfies Record<string, Schema>;

/** As requests have it. */
export interface WireWebhook {
  readonly name?: string;
  readonly url?: string;
  readonly allow_private?: boolean;
  readonly alerts?: readonly (typeof ALERT_KINDS)[number][] | null;
  readonly paused?: boolean;
}

export const webhookSchema: Schema = {
  title: "Webhook",
  type: "object",
  required: ["id", "name", "url", "allow_private", "alerts", "paused", "paused_because", "previous_secret_signs_until", "created_at"],
  properties: {
    id: { type: "string" },
    ...webhookFields,
    paused_because: { type: "string", nullable: true, description: "Why it is paused." },
    previous_secret_signs_until: {
      ...timeSchema,
      nullable: true,
      description: "Until when messages are signed with the secret before its rotation too.",
    },
    created_at: timeSchema,
  },
};

/** What is made is in this reply and nowhere else, ever. */
export const newWebhookSchema: Schema = {
  ...webhookSchema,
  title: "NewWebhook",
  properties: {
    ...webhookSchema.properties,
    secret: { type: "string", nullable: true, description: "What messages are signed with: shown once, in the reply that made it." },
  },
};
