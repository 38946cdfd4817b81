import { members } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { exportSchema, findExport, viewExport } from "./export-view.ts";

/** DELETE /api/exports/:id: deletes an export with its file. */
export function removeExport(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/exports/:id",
    access: members("usage:read"),
    operationId: "removeExport",
    summary: "Delete a background export with its file. If it is running, it stops.",
    reply: { status: 200, description: "The deleted export.", json: exportSchema },
    async run({ actor, param }) {
      const found = await findExport(param("id"), actor, platform);
      await platform.exports.remove(found.id);
      return viewExport(found);
    },
  });
}
