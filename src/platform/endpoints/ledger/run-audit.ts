import { operators } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { audit } from "../../audit/auditor.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const reportSchema: Schema = {
  title: "AuditReport",
  type: "object",
  required: ["checked", "as_of_entry", "disagreement_count", "disagreements"],
  properties: {
    checked: {
      title: "AuditedCounts",
      type: "object",
      properties: { entries: { type: "integer" }, accounts: { type: "integer" }, requests: { type: "integer" } },
    },
    as_of_entry: { type: "integer" },
    disagreement_count: { type: "integer" },
    disagreements: { type: "array", items: { type: "object" }, description: "The first 1000 of them." },
  },
};

/** GET /api/audit: adds everything up anew and says where the ledger disagrees with itself. 200 either way. */
export function runAudit(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/audit",
    access: operators("audit:read"),
    operationId: "runAudit",
    summary: "Adds everything up anew and says where the ledger disagrees with itself.",
    reply: { status: 200, description: "What was checked, and what disagrees.", json: reportSchema },
    async run({ exchange }) {
      // Nothing is sent until all of it was read, however long that takes.
      exchange.setIdleTimeout(0);
      const { signal } = exchange.request;
      return Reply.json(await audit({ ledger: platform.ledger, keyIds: platform.keys.ids(), nowMs: platform.nowMs(), signal }));
    },
  });
}
