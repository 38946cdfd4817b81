import { members } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { exportSchema, findExport, viewExport } from "./export-view.ts";

/** POST /api/exports/:id/cancel: stops an export. */
export function cancelExport(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/exports/:id/cancel",
    access: members("usage:read"),
    operationId: "cancelExport",
    summary: "Cancel a background export. One that has ended stays as it is.",
    reply: { status: 200, description: "The export.", json: exportSchema },
    async run({ actor, param }) {
      const { id } = await findExport(param("id"), actor, platform);
      await platform.exports.end(id, "cancelled");
      return viewExport(await findExport(id, actor, platform));
    },
  });
}
