import type { Actor } from "../../../access/access.ts";
import { EXPORT_FORMATS, EXPORT_STATES, maySeeExport, type RequestExport } from "../../../access/request-export.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";
import { timeSchema, viewTime } from "../fields/times.ts";
import { unknownId } from "../fields/unknown-id.ts";
import { requestQuery } from "../requests/request-filter.ts";

export const exportSchema = {
  title: "RequestExport",
  type: "object",
  required: ["id", "format", "filters", "state", "rows", "total", "bytes", "error", "created_at", "ended_at", "expires_at"],
  properties: {
    id: { type: "string" },
    format: { type: "string", enum: EXPORT_FORMATS },
    filters: { title: "ExportFilters", type: "object", properties: requestQuery, description: "The filters that were given." },
    state: {
      type: "string",
      enum: EXPORT_STATES,
      description: "`done`: the file can be downloaded. `interrupted`: the process that wrote it has stopped; start the export again.",
    },
    rows: { type: "integer", description: "The number of requests written so far." },
    total: {
      type: "integer",
      nullable: true,
      description: "The number of requests in all; null until they are counted, and where there are too many to count.",
    },
    bytes: { type: "integer", description: "The size of the file; 0 where there is none." },
    error: { type: "string", nullable: true, description: "Why it failed." },
    created_at: { ...timeSchema, description: "The start. Requests that ended later are not included." },
    ended_at: { ...timeSchema, nullable: true, description: "The end; null while it is running." },
    expires_at: { ...timeSchema, description: "When it is deleted: a day after its start." },
  },
} as const satisfies Schema;

export function viewExport({ id, format, filters, state, rows, total, bytes, error, ...times }: RequestExport) {
  return {
    id,
    format,
    filters,
    state,
    rows,
    total,
    bytes,
    error,
    created_at: viewTime(times.createdAtMs),
    ended_at: viewTime(times.endedAtMs),
    expires_at: viewTime(times.expiresAtMs),
  };
}

/** One of the caller's exports. Another person's is reported as not found, and so is one whose requests the caller may no longer see. */
export async function findExport(id: string, actor: Actor, { exports }: Platform): Promise<RequestExport> {
  const found = await exports.find(id);
  if (found && maySeeExport(actor, found)) return found;
  throw unknownId("unknown_export", "export", id);
}
