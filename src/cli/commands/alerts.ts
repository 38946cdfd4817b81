import type { Alert } from "../../../platform-client/types.ts";
import { ALERT_KINDS } from "../../alerts/alert.ts";
import { ALERT_STATES, isRaisedKind } from "../../alerts/raised-alert.ts";
import { formatTime } from "../format/format-values.ts";
import { listCommand } from "../list-command.ts";
import { choice, text } from "../options.ts";
import { platformCommand } from "../platform-command.ts";

export const listAlerts = listCommand<Alert>({
  summary: "List raised alerts, newest first.",
  details: "docs/alerts.md explains each kind. webhooks create sends alerts to a chat, a pager, an inbox or a service.",
  examples: ["alerts list", "alerts list --state open", "alerts list --type cap.reached --account acme"],
  options: {
    state: choice("state", ALERT_STATES, "only alerts in this state"),
    type: choice("type", ALERT_KINDS.filter(isRaisedKind), "only alerts of this kind"),
    account: text("account", "only alerts about this account or a key of it", "ACCOUNT"),
    key: text("key", "only alerts about this key", "KEY"),
    upstream: text("upstream", "only alerts about this upstream", "UPSTREAM"),
    model: text("model", "only alerts about this model", "MODEL"),
  },
  call: "GET /api/alerts",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "RAISED (UTC)", cell: (alert) => formatTime(alert.raised_at) },
    { heading: "STATE", cell: ({ state }) => state },
    { heading: "ACKNOWLEDGED BY", cell: ({ acknowledged_by: by }) => by?.name ?? "-" },
    { heading: "SUMMARY", cell: ({ summary }) => summary, isLong: true },
  ],
});

export const acknowledgeAlert = platformCommand<Alert>({
  summary: "Acknowledge an alert: record that someone takes care of it.",
  examples: ["alerts acknowledge msg_2kQ8sLm2XyZ14fQ8sLm2XyZ1"],
  operands: [{ name: "ALERT", meaning: "alert ID, as shown by alerts list" }],
  call: "POST /api/alerts/{id}/acknowledge",
  print: ({ id, acknowledged_by: by }) => `Alert ${id} is acknowledged by ${by?.name}.\n`,
});
