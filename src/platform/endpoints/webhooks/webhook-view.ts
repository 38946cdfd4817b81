import type { Infer } from "../../../lib/schema/infer.ts";
import { ALERT_KINDS } from "../../../alerts/alert.ts";
import { CHANNEL_KINDS } from "../../../alerts/channel-kind.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { plainTextSchema } from "../../../lib/schema/plain-text.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema } from "../fields/times.ts";

/** The fields that create and update a webhook. */
export const webhookFields = {
  name: nameSchema,
  url: {
    ...plainTextSchema,
    maxLength: 2000,
    // That of a chat is a credential.
    isSecret: true,
    description:
      "The URL that alerts are sent to: https://, or http:// on this machine. It is shown to operators and in the audit log, of a chat only the beginning. E-mail: mailto: with the recipients.",
  },
  allow_private: { type: "boolean", description: "Whether it may be on this machine or in a private network. Default: false." },
  alerts: {
    type: "array",
    items: { type: "string", enum: ALERT_KINDS },
    minItems: 1,
    nullable: true,
    description: "The kinds of alerts to send; null for all.",
  },
  paused: { type: "boolean", description: "Whether the webhook is paused. Alerts that are raised meanwhile are not sent later." },
} as const satisfies Record<string, Schema>;

/** Fields that are only in requests: the kind stays, and a key is never shown. */
export const kindField = {
  kind: {
    type: "string",
    enum: CHANNEL_KINDS,
    description:
      "The format: `webhook` for signed messages to your own service, the incoming webhook of `slack`, a workflow of `teams`, a webhook of `discord`, the Events API v2 of `pagerduty`, or `email`. Default: webhook.",
  },
} as const satisfies Record<string, Schema>;

export const routingKeyField = {
  routing_key: {
    type: "string",
    pattern: "^[0-9A-Za-z]{32}$",
    patternInWords: "32 letters and digits",
    isSecret: true,
    description: "The integration key of a PagerDuty service. It is stored encrypted, and never shown.",
  },
} as const satisfies Record<string, Schema>;

const changeableFields = { ...webhookFields, ...routingKeyField } as const;

/** The body of a request. */
export type WireWebhook = { readonly [Name in keyof typeof changeableFields]?: Infer<(typeof changeableFields)[Name]> };

export const webhookSchema = {
  title: "Webhook",
  type: "object",
  required: [
    "id",
    "name",
    "kind",
    "url",
    "allow_private",
    "alerts",
    "paused",
    "paused_because",
    "previous_secret_signs_until",
    "created_at",
  ],
  properties: {
    id: { type: "string" },
    ...kindField,
    ...webhookFields,
    paused_because: { type: "string", nullable: true, description: "The reason why it is paused." },
    previous_secret_signs_until: {
      ...timeSchema,
      nullable: true,
      description: "The end of the grace period, until which messages are also signed with the old secret.",
    },
    created_at: timeSchema,
  },
} as const satisfies Schema;

/** The schema of replies that create a secret. It is in this reply and nowhere else. */
export const newWebhookSchema = {
  ...webhookSchema,
  title: "NewWebhook",
  properties: {
    ...webhookSchema.properties,
    secret: {
      type: "string",
      nullable: true,
      description: "The signing secret of a `webhook`, shown only once, in the reply that created it; null for other kinds.",
    },
  },
} as const satisfies Schema;
