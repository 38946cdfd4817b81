import { ALERT_KINDS } from "../../alerts/alert.ts";
import { describeAlert } from "../../alerts/describe-alert.ts";
import { aboutWhat, ALERT_STATES, isRaisedKind, stateOf, type RaisedAlert } from "../../alerts/raised-alert.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { timeSchema, viewTime, unknownId } from "./fields.ts";
import { operators } from "../../access/access.ts";
import { operation, type Operation } from "../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../paging.ts";
import type { Platform } from "../platform.ts";

/** The kinds of alerts in the list. */
const RAISED_KINDS = ALERT_KINDS.filter(isRaisedKind);

const alertSchema = {
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

function viewAlert(alert: RaisedAlert) {
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

const alertPageSchema = pageSchema("AlertPage", alertSchema);

const schema = {
  ...alertPageSchema,
  required: [...alertPageSchema.required, "open"],
  properties: { ...alertPageSchema.properties, open: { type: "integer", description: "The number of all open alerts." } },
} as const satisfies Schema;

/** GET /api/alerts: a page of raised alerts, newest first. */
export function listAlerts(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/alerts",
    access: operators("alerts:read"),
    operationId: "listAlerts",
    summary: "List raised alerts, newest first. Resolved and acknowledged alerts are retained for 90 days.",
    query: {
      state: { type: "string", enum: ALERT_STATES, description: "Alerts in this state." },
      type: { type: "string", enum: RAISED_KINDS, description: "Alerts of this kind." },
      account: { type: "string", description: "Alerts about this account, or a key of it." },
      key: { type: "string", description: "Alerts about this key." },
      upstream: { type: "string", description: "Alerts about this upstream." },
      model: { type: "string", description: "Alerts about this model." },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of alerts.", json: schema },
    async run({ query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["number", "string"]);
      const { state, type, account, key, upstream, model } = query;
      const filter = { state, kind: type, accountId: account, keyId: key, upstream, model };
      const position = after && { atMs: after[0], id: after[1] };
      const alerts = await platform.raisedAlerts.list(filter, position, limit + 1);
      const open = await platform.raisedAlerts.countOpen();
      return { ...toPage(cursors, alerts, limit, viewAlert, ({ atMs, id }) => [atMs, id]), open };
    },
  });
}

/** POST /api/alerts/:id/acknowledge: records that someone is handling an alert. */
export function acknowledgeAlert(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/alerts/:id/acknowledge",
    access: operators("alerts:write"),
    operationId: "acknowledgeAlert",
    summary: "Acknowledge an alert. The first acknowledgement stays.",
    reply: { status: 200, description: "The alert.", json: alertSchema },
    async run({ param, actor, change }) {
      const id = param("id");
      const alert = await findAlert(id, platform);
      if (alert.acknowledged) return viewAlert(alert);
      const acknowledged = { atMs: platform.nowMs(), by: actor.id, byName: actor.name };
      const what = { before: viewAlert(alert), after: viewAlert({ ...alert, acknowledged }) };
      await platform.raisedAlerts.acknowledge(id, acknowledged, change("alert.acknowledge", { kind: "alert", id }, what));
      return viewAlert(await findAlert(id, platform));
    },
  });
}

async function findAlert(id: string, { raisedAlerts }: Platform): Promise<RaisedAlert> {
  const alert = await raisedAlerts.find(id);
  if (alert) return alert;
  throw unknownId("unknown_alert", "alert", id);
}
