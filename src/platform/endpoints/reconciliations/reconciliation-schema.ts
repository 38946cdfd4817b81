import type { Schema } from "../../../lib/schema/schema.ts";
import { moneySchema, notComparedSchema } from "./money-view.ts";

const percentSchema: Schema = {
  type: "number",
  nullable: true,
  description: "The difference, of what the ledger has. Null where that is nothing, and where there is nothing to compare.",
};

const countsSchema: Schema = {
  title: "ReconciledCount",
  type: "object",
  description: "`input_tokens` are without `cached_tokens` and `cache_write_tokens`, where the bill has these.",
  required: ["ledger", "bill", "difference", "percent", "drifts"],
  properties: {
    ledger: { type: "integer", nullable: true },
    bill: { type: "integer", nullable: true, description: "Null where the bill does not say." },
    difference: { type: "integer", nullable: true, description: "The bill's less the ledger's." },
    percent: percentSchema,
    drifts: { type: "boolean", description: "Whether the difference is above the threshold. Requests are shown, and never drift." },
  },
};

const costSchema: Schema = {
  title: "ReconciledCost",
  type: "object",
  required: ["ledger", "bill", "difference", "percent", "drifts"],
  properties: {
    ledger: { type: "string", nullable: true, description: "Dollars, at the provider's list price. Null where that is not known." },
    bill: { type: "string", nullable: true, description: "Dollars. Null where the bill does not say." },
    difference: { type: "string", nullable: true },
    percent: percentSchema,
    drifts: { type: "boolean" },
  },
};

const cellSchemas: Readonly<Record<string, Schema>> = {
  requests: countsSchema,
  input_tokens: countsSchema,
  cached_tokens: countsSchema,
  cache_write_tokens: countsSchema,
  output_tokens: countsSchema,
  cost: costSchema,
};

const names: Schema = { type: "array", items: { type: "string" } };

const rowSchema: Schema = {
  title: "ReconciledRow",
  type: "object",
  required: ["day", "model", "drifts", ...Object.keys(cellSchemas), "reasons"],
  properties: {
    day: { type: "string", description: "Such as 2027-01-31." },
    model: { type: "string", nullable: true, description: "Null for answers from before the provider's name of the model was kept." },
    matched_by: { type: "string", nullable: true, enum: ["name", "date"], description: "Null where one side alone has it." },
    ledger_models: { ...names, description: "Its names in the ledger." },
    bill_models: { ...names, description: "Its names on the bill." },
    drifts: { type: "boolean" },
    ...cellSchemas,
    reasoning_tokens: { type: "integer", description: "Those of the ledger's output." },
    reasons: {
      title: "DriftReasons",
      type: "object",
      description: "What can make the two differ, without either being wrong.",
      properties: {
        unmeasured_requests: { type: "integer", description: "Those whose tokens the upstream has not counted to the end." },
        unmeasured_tokens: { type: "integer" },
        unanswered_attempts: { type: "integer", description: "Attempts that broke off or took too long, and may be billed." },
        requests_across_midnight: { type: "integer", description: "Those that began on one day and ended on another." },
        rounded_by: { type: "string", description: "Dollars: what the bill may be off by, because its amounts are rounded." },
      },
    },
  },
};

/** What `POST /api/reconciliations` replies. */
export const reconciliationSchema: Schema = {
  title: "Reconciliation",
  type: "object",
  required: [
    "provider",
    "upstreams",
    "zone",
    "from",
    "to",
    "is_over",
    "threshold_percent",
    "drifts",
    "agrees",
    "money",
    "bill",
    "totals",
    "days",
    "models",
    "rows",
    "not_compared",
  ],
  properties: {
    provider: { type: "string", nullable: true },
    upstreams: names,
    zone: { type: "string" },
    from: { type: "string" },
    to: { type: "string", description: "The last day, which is included." },
    is_over: { type: "boolean", description: "Whether the last day is over." },
    threshold_percent: { type: "number" },
    drifts: { type: "boolean", description: "Whether any row does." },
    agrees: { type: "boolean", description: "Whether no row drifts, and nothing of either side was left out of the comparison." },
    money: moneySchema,
    bill: {
      title: "ReconciledBill",
      type: "object",
      properties: {
        format: { type: "string", enum: ["openai_usage", "openai_costs", "anthropic_usage", "anthropic_costs", "plain"] },
        lines: { type: "integer" },
        from: { type: "string", nullable: true, description: "The first day that it has; null where it has none." },
        to: { type: "string", nullable: true, description: "The last one." },
        compared: { ...names, description: "What the bill can be compared in." },
        ignored_columns: names,
        outside_span: { type: "integer", description: "Models and days of the bill that are before `from` or after `to`." },
      },
    },
    totals: {
      title: "ReconciledTotals",
      type: "object",
      properties: cellSchemas,
      description: "Over the rows of which both sides know it.",
    },
    days: { title: "ReconciledDays", type: "object", properties: { not_on_bill: names, not_in_ledger: names } },
    models: { title: "ReconciledModels", type: "object", properties: { not_on_bill: names, not_in_ledger: names, without_price: names } },
    rows: { type: "array", items: rowSchema, description: "By day and model. What is nothing on both sides is left out." },
    not_compared: { type: "array", items: notComparedSchema, description: "What could not be compared, by day and model, and why." },
  },
};
