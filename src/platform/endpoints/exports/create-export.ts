import { members } from "../../../access/access.ts";
import { exportOwner, makeExport, MAX_EXPORTS, type RequestExport } from "../../../access/request-export.ts";
import { plainTextSchema } from "../../../lib/schema/plain-text.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { formatSchema, until } from "../requests/exported-pieces.ts";
import { readRequestFilter, requestQuery } from "../requests/request-filter.ts";
import { exportSchema, viewExport } from "./export-view.ts";
import { ExportPace, writeExport } from "./write-export.ts";

/** Filters are stored and shown, unlike those of a list: their texts must be printable. */
const FILTERS = Object.fromEntries(
  Object.entries<Schema>(requestQuery).map(([name, schema]) => [
    name,
    schema.type === "string" && !schema.enum ? { ...plainTextSchema, ...schema } : schema,
  ]),
) as typeof requestQuery;

/** POST /api/exports: exports requests in the background. It is a read, and so it is not in the audit log, as other exports are not. */
export function createExport(platform: Platform): Operation {
  const pace = new ExportPace();
  return operation({
    method: "POST",
    path: "/api/exports",
    access: members("usage:read"),
    operationId: "createExport",
    summary: "Export requests in the background, to a file that can be downloaded for a day",
    body: {
      title: "CreateExportRequest",
      type: "object",
      additionalProperties: false,
      properties: { format: formatSchema, ...FILTERS },
    },
    reply: { status: 201, description: "The export, which is running.", json: exportSchema },
    async run({ actor, body }) {
      const { format = "csv", ...filters } = body;
      const nowMs = platform.nowMs();
      const filter = until(nowMs, readRequestFilter(filters, actor, platform));
      const accountId = actor.role === "member" ? actor.accountId : (filters.account ?? null);
      const written = makeExport({ ownerId: exportOwner(actor), role: actor.role, accountId, format, filters }, nowMs);
      const added = Promise.withResolvers<void>();
      // Counts until the writer has noticed that it was stopped: starting and deleting exports must not leave many searches behind.
      const writing = platform.reportLimit.run(actor, "background export", async () => {
        added.resolve(add(written, platform));
        await added.promise;
        await writeExport({ written, filter, actor, pace }, platform);
      });
      writing.catch(added.reject);
      await added.promise;
      return viewExport(written);
    },
  });
}

async function add(added: RequestExport, { exports }: Platform): Promise<void> {
  if (await exports.add(added)) return;
  throw new ApiError("state_conflict", `You have ${MAX_EXPORTS} exports. Delete one first.`);
}
