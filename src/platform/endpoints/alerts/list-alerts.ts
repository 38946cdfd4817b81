import { operators } from "../../../access/access.ts";
import { ALERT_STATES } from "../../../alerts/raised-alert.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { alertSchema, RAISED_KINDS, viewAlert } from "./alert-view.ts";

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
