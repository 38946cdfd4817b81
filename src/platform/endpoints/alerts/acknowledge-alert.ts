import { operators } from "../../../access/access.ts";
import type { RaisedAlert } from "../../../alerts/raised-alert.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";
import { alertSchema, viewAlert } from "./alert-view.ts";

/** POST /api/alerts/:id/acknowledge: records that someone takes care of an alert. */
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
