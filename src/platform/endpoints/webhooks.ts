import type { Infer } from "../../lib/schema/infer.ts";
import { ALERT_KINDS } from "../../alerts/alert.ts";
import { CHANNEL_KINDS, HIDDEN, hasSecretUrl, recipientsIn, type ChannelKind, PAGERDUTY_URL } from "../../alerts/channel-kind.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import { plainTextSchema } from "../../lib/schema/plain-text.ts";
import { type Schema, findViolation } from "../../lib/schema/schema.ts";
import { timeSchema, viewTime, refuseField, unknownId } from "./fields.ts";
import type { Delivery } from "../../stores/alerts/alert-store.ts";
import { DELIVERY_STATES } from "../../alerts/delivery-state.ts";
import { emailSchema } from "../../access/email-schema.ts";
import {
  type Webhook,
  describeWebhook,
  makeWebhook,
  MAX_WEBHOOKS,
  PAUSED_BY_OPERATOR,
  changeDestination,
  rotateSecret,
} from "../../alerts/webhook.ts";
import { problemOfWebhookUrl } from "../../models/base-url.ts";
import type { Platform } from "../platform.ts";
import { operators } from "../../access/access.ts";
import { ApiError } from "../../requests/api-error.ts";
import { operation, type Operation } from "../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../paging.ts";

/** The fields that create and update a webhook. */
const webhookFields = {
  name: nameSchema,
  url: {
    ...plainTextSchema,
    maxLength: 2000,
    // The URL of a chat is a credential.
    isSecret: true,
    description:
      "The URL that alerts are sent to: https://, or http:// on this machine. It is shown to operators and in the audit log; for a chat, only its beginning is shown. For email: a `mailto:` URL with the recipients.",
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

/** Fields that occur only in requests: the kind cannot be changed, and a key is never shown. */
const kindField = {
  kind: {
    type: "string",
    enum: CHANNEL_KINDS,
    description:
      "The format: `webhook` for signed messages to your own service, the incoming webhook of `slack`, a workflow of `teams`, a webhook of `discord`, the Events API v2 of `pagerduty`, or `email`. Default: webhook.",
  },
} as const satisfies Record<string, Schema>;

const routingKeyField = {
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
type WireWebhook = { readonly [Name in keyof typeof changeableFields]?: Infer<(typeof changeableFields)[Name]> };

const webhookSchema = {
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
const newWebhookSchema = {
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

const deliverySchema = {
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

function viewDelivery({ id, alertId, kind, state, createdAtMs, nextAttemptAtMs, attempts }: Delivery) {
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

/** The maximum number of recipients. Each of them receives every alert. */
const MAX_RECIPIENTS = 20;

/** Rejects a URL that must not be called. Resolved addresses are checked again at each connection. */
function checkUrl({ kind, url, allowPrivate }: Pick<Webhook, "kind" | "url" | "allowPrivate">): void {
  const problem = kind === "email" ? problemOfMailto(url) : problemOf(kind, url, allowPrivate);
  if (problem !== undefined) refuseField(["url"], problem);
}

/** Rejects a routing key that would have no effect. */
function checkRoutingKey(kind: ChannelKind, routingKey: string | undefined): void {
  if (routingKey !== undefined && kind !== "pagerduty") refuseField(["routing_key"], "is for PagerDuty alone");
}

function problemOf(kind: ChannelKind, url: string, allowPrivate: boolean): string | undefined {
  if (hasSecretUrl(kind) && url.includes(HIDDEN)) return "must be the whole URL: this is only its shown part";
  return problemOfWebhookUrl(url, allowPrivate, hasSecretUrl(kind));
}

/** Mail servers and headers would treat an angle bracket or a comma in an address as its end. */
function problemOfMailto(url: string): string | undefined {
  if (!/^mailto:/i.test(url)) return "must be mailto: with one or more addresses, such as mailto:ops@example.com,dev@example.com";
  const addresses = recipientsIn(url);
  if (addresses.length > MAX_RECIPIENTS) return `must have at most ${MAX_RECIPIENTS} addresses`;
  const wrong = addresses.find(
    (address) => findViolation(emailSchema, address) || !/^[!-~]+$/.test(address) || /[<>()[\]\\,;:"?]/.test(address),
  );
  return wrong === undefined
    ? undefined
    : `must have addresses in ASCII between commas, such as ops@example.com; ${JSON.stringify(wrong)} is none`;
}

function findWebhook(id: string, { webhooks }: Platform): Webhook {
  return existingWebhook(webhooks.find(id), id);
}

/** The webhook, or an error if the search by ID found none. */
function existingWebhook(webhook: Webhook | undefined, id: string): Webhook {
  if (webhook) return webhook;
  throw unknownId("unknown_webhook", "webhook", id);
}

/** One of a webhook's deliveries. */
async function findDelivery(webhook: Webhook, id: string, { alerts }: Platform): Promise<Delivery> {
  const delivery = /^\d{1,15}$/.test(id) ? await alerts.findDelivery(webhook.id, Number(id)) : undefined;
  if (delivery) return delivery;
  throw unknownId("unknown_delivery", "delivery", id);
}

/** POST /api/webhooks: creates a webhook. */
export function createWebhook(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/webhooks",
    access: operators("alerts:write"),
    operationId: "createWebhook",
    summary:
      "Create a webhook that alerts are sent to: your own service, a chat, a pager or email. Its signing secret is shown only in this reply.",
    body: {
      title: "CreateWebhookRequest",
      type: "object",
      additionalProperties: false,
      required: ["name"],
      properties: { ...kindField, ...webhookFields, ...routingKeyField },
    },
    reply: { status: 201, description: "The webhook.", json: newWebhookSchema },
    async run({ body, change }) {
      const wanted = readWanted(body);
      checkUrl(wanted);
      const webhook = makeWebhook(wanted, platform.nowMs());
      await platform.webhooks.update(webhook.id, () => {
        if (platform.webhooks.list().length >= MAX_WEBHOOKS) {
          throw new ApiError("already_exists", `There are already ${MAX_WEBHOOKS} webhooks. Remove one first.`);
        }
        const what = { before: null, after: describeWebhook(webhook) };
        return { record: webhook, change: change("webhook.create", { kind: "webhook", id: webhook.id }, what) };
      });
      const secret = webhook.kind === "webhook" ? webhook.secret.reveal() : null;
      return { ...describeWebhook(webhook), secret };
    },
    showCreated: (id) => ({ ...describeWebhook(findWebhook(id, platform)), secret: null }),
  });
}

function readWanted(body: WireWebhook & { readonly name: string; readonly kind?: ChannelKind }) {
  const { name, kind = "webhook", routing_key: routingKey, alerts, paused } = body;
  checkRoutingKey(kind, routingKey);
  if (kind === "pagerduty" && routingKey === undefined)
    refuseField(["routing_key"], "is needed for PagerDuty: the integration key of a service");
  const url = body.url ?? (kind === "pagerduty" ? PAGERDUTY_URL : refuseField(["url"], "is missing"));
  const allowPrivate = body.allow_private ?? false;
  return { name, kind, url, routingKey, allowPrivate, kinds: alerts ?? null, paused: paused ? PAUSED_BY_OPERATOR : null };
}

/** GET /api/webhooks: a page of webhooks by id. */
export function listWebhooks(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/webhooks",
    access: operators("alerts:read"),
    operationId: "listWebhooks",
    summary: "List webhooks by id",
    query: pageQuery,
    reply: { status: 200, description: "A page of webhooks.", json: pageSchema("WebhookPage", webhookSchema) },
    run({ query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["string"]);
      const webhooks = platform.webhooks.list().filter(({ id }) => after === undefined || id > after[0]);
      return toPage(cursors, webhooks, limit, describeWebhook, ({ id }) => [id]);
    },
  });
}

/** GET /api/webhooks/:id: a webhook, without its secret. */
export function showWebhook(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/webhooks/:id",
    access: operators("alerts:read"),
    operationId: "showWebhook",
    summary: "Show a webhook, without its secret",
    reply: { status: 200, description: "The webhook.", json: webhookSchema },
    run: ({ param }) => describeWebhook(findWebhook(param("id"), platform)),
  });
}

/** PATCH /api/webhooks/:id: updates the given fields. */
export function updateWebhook(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/webhooks/:id",
    access: operators("alerts:write"),
    operationId: "updateWebhook",
    summary: "Update a webhook. Only the given fields change. Deliveries that were pending when it was paused are sent when it resumes.",
    body: {
      title: "UpdateWebhookRequest",
      type: "object",
      additionalProperties: false,
      properties: { ...webhookFields, ...routingKeyField },
    },
    reply: { status: 200, description: "The updated webhook.", json: webhookSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.webhooks.update(id, (current) => {
        const webhook = existingWebhook(current, id);
        checkRoutingKey(webhook.kind, body.routing_key);
        const changed = changeWebhook(webhook, body);
        checkUrl({ ...changed, url: body.url ?? currentUrl(webhook) });
        const what = { before: describeWebhook(webhook), after: describeWebhook(changed) };
        return { record: changed, change: change("webhook.update", { kind: "webhook", id }, what) };
      });
      platform.wakeDeliveries();
      return describeWebhook(record);
    },
  });
}

function currentUrl({ kind, url, secret }: Webhook): string {
  return hasSecretUrl(kind) ? secret.reveal() : url;
}

function changeWebhook(webhook: Webhook, body: WireWebhook): Webhook {
  const { name, url, routing_key: routingKey, allow_private: allowPrivate, alerts, paused } = body;
  // A URL that cannot be parsed is not applied: `checkUrl` rejects it afterwards.
  const isReadable = url !== undefined && (webhook.kind === "email" || URL.canParse(url));
  return {
    ...(isReadable || routingKey !== undefined ? changeDestination(webhook, { url: url ?? currentUrl(webhook), routingKey }) : webhook),
    name: name ?? webhook.name,
    allowPrivate: allowPrivate ?? webhook.allowPrivate,
    kinds: alerts === undefined ? webhook.kinds : alerts,
    paused: pausedBy(paused, webhook.paused),
  };
}

function pausedBy(wanted: boolean | undefined, before: string | null): string | null {
  if (wanted === undefined) return before;
  return wanted ? (before ?? PAUSED_BY_OPERATOR) : null;
}

const NO_SIGNING_SECRET = "Only webhooks of the kind `webhook` have a signing secret. Update the url or routing_key of this one instead.";

const DAY_SECONDS = 24 * 60 * 60;

/** POST /api/webhooks/:id/rotate-secret: generates a new secret. All settings stay. */
export function rotateWebhookSecret(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/webhooks/:id/rotate-secret",
    access: operators("alerts:write"),
    operationId: "rotateWebhookSecret",
    summary: "Rotate a webhook's signing secret. Messages are signed with both secrets during a grace period.",
    body: {
      title: "RotateWebhookSecretRequest",
      type: "object",
      additionalProperties: false,
      properties: {
        grace_period_seconds: {
          type: "integer",
          minimum: 0,
          maximum: 30 * DAY_SECONDS,
          description:
            "The grace period in seconds, during which messages are also signed with the old secret. Default: one day; 0 ends it immediately.",
        },
      },
    },
    reply: { status: 200, description: "The webhook, with its new secret.", json: newWebhookSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.webhooks.update(id, (current) => {
        const webhook = existingWebhook(current, id);
        if (webhook.kind !== "webhook") throw new ApiError("state_conflict", NO_SIGNING_SECRET);
        const rotated = rotateSecret(webhook, (body.grace_period_seconds ?? DAY_SECONDS) * 1000, platform.nowMs());
        const what = { before: describeWebhook(webhook), after: describeWebhook(rotated) };
        return { record: rotated, change: change("webhook.rotate_secret", { kind: "webhook", id }, what) };
      });
      return { ...describeWebhook(record), secret: record.secret.reveal() };
    },
    showCreated: (id) => ({ ...describeWebhook(findWebhook(id, platform)), secret: null }),
  });
}

/** POST /api/webhooks/:id/test: sends a test message immediately. The status is 200 whether or not it was delivered. */
export function testWebhook(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/webhooks/:id/test",
    access: operators("alerts:write"),
    operationId: "testWebhook",
    summary: "Test a webhook: send a `webhook.test` message immediately, even when the webhook is paused. It is not retried.",
    reply: { status: 200, description: "The delivery, with its single attempt.", json: deliverySchema },
    run: async ({ param }) => viewDelivery(await platform.testWebhook(findWebhook(param("id"), platform))),
  });
}

/** GET /api/webhooks/:id/deliveries: a page of a webhook's deliveries, newest first. */
export function listDeliveries(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/webhooks/:id/deliveries",
    access: operators("alerts:read"),
    operationId: "listDeliveries",
    summary: "List a webhook's deliveries with their attempts, newest first. Ended deliveries are retained for 30 days.",
    query: { state: { type: "string", enum: DELIVERY_STATES, description: "Deliveries in this state." }, ...pageQuery },
    reply: { status: 200, description: "A page of deliveries.", json: pageSchema("DeliveryPage", deliverySchema) },
    async run({ param, query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["number"]);
      const { id } = findWebhook(param("id"), platform);
      const deliveries = await platform.alerts.deliveries(id, query.state, after?.[0] ?? Number.MAX_SAFE_INTEGER, limit + 1);
      return toPage(cursors, deliveries, limit, viewDelivery, (delivery) => [delivery.id]);
    },
  });
}

/** POST /api/webhooks/:id/deliveries/:deliveryId/redeliver: sends a delivery again now, in any state, with the full retry schedule. */
export function redeliver(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/webhooks/:id/deliveries/:deliveryId/redeliver",
    access: operators("alerts:write"),
    operationId: "redeliver",
    summary: "Redeliver a message under the same id. A failure is retried on the full schedule.",
    reply: { status: 200, description: "The delivery, which is now pending.", json: deliverySchema },
    async run({ param }) {
      const webhook = findWebhook(param("id"), platform);
      const { id } = await findDelivery(webhook, param("deliveryId"), platform);
      if (webhook.paused !== null) throw new ApiError("state_conflict", "This webhook is paused. Resume it first.");
      await platform.alerts.redeliver(id, platform.nowMs());
      platform.wakeDeliveries();
      return viewDelivery(await findDelivery(webhook, String(id), platform));
    },
  });
}

/** DELETE /api/webhooks/:id: removes a webhook with its pending deliveries and delivery log. */
export function removeWebhook(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/webhooks/:id",
    access: operators("alerts:write"),
    operationId: "removeWebhook",
    summary: "Remove a webhook and its deliveries",
    reply: { status: 200, description: "The removed webhook.", json: webhookSchema },
    async run({ param, change }) {
      const id = param("id");
      const { removed } = await platform.webhooks.remove(id, (current) => {
        const before = describeWebhook(existingWebhook(current, id));
        return { removed: before, change: change("webhook.remove", { kind: "webhook", id }, { before, after: null }) };
      });
      return removed;
    },
  });
}
