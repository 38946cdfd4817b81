import { members } from "../../../access/access.ts";
import { exportOwner, maySeeExport } from "../../../access/request-export.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { exportSchema, viewExport } from "./export-view.ts";

/** GET /api/exports: the caller's exports. There are few, so there are no pages. */
export function listExports(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/exports",
    access: members("usage:read"),
    operationId: "listExports",
    summary: "List your background exports, newest first",
    reply: {
      status: 200,
      description: "Your exports.",
      json: {
        title: "RequestExportList",
        type: "object",
        required: ["data"],
        properties: { data: { type: "array", items: exportSchema } },
      },
    },
    async run({ actor }) {
      const own = await platform.exports.listOf(exportOwner(actor));
      return { data: own.filter((each) => maySeeExport(actor, each)).map(viewExport) };
    },
  });
}
