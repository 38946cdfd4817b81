import { members } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { exportSchema, findExport, viewExport } from "./export-view.ts";

/** GET /api/exports/:id: the state of an export. */
export function showExport(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/exports/:id",
    access: members("usage:read"),
    operationId: "showExport",
    summary: "Show the progress of a background export",
    reply: { status: 200, description: "The export.", json: exportSchema },
    async run({ actor, param }) {
      return viewExport(await findExport(param("id"), actor, platform));
    },
  });
}
