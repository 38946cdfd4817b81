import { operators } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { audit } from "../../audit/auditor.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";

const reportSchema = {
  title: "AuditReport",
  type: "object",
  required: ["checked", "as_of_entry", "discrepancy_count", "discrepancies"],
  properties: {
    checked: {
      title: "AuditedCounts",
      type: "object",
      required: ["entries", "accounts", "requests"],
      properties: { entries: { type: "integer" }, accounts: { type: "integer" }, requests: { type: "integer" } },
    },
    as_of_entry: { type: "integer" },
    discrepancy_count: { type: "integer" },
    discrepancies: { type: "array", items: { type: "object" }, description: "The first 1000 discrepancies." },
  },
} as const satisfies Schema;

/** GET /api/audit: recomputes the ledger from its entries and reports discrepancies. The status is 200 either way. */
export function runAudit(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/audit",
    access: operators("audit:read"),
    operationId: "runAudit",
    summary: "Verify the ledger: recompute it from its entries and report discrepancies",
    reply: { status: 200, description: "The scope of the audit and the discrepancies.", json: reportSchema },
    async run({ exchange }) {
      // No idle timeout: nothing is sent until the whole ledger was read.
      exchange.setIdleTimeout(0);
      const { signal } = exchange.request;
      const { ledgerRecords: ledger, auditLog, keys, nowMs } = platform;
      return await audit({ ledger, auditLog, keyIds: keys.ids(), nowMs: nowMs(), signal });
    },
  });
}
