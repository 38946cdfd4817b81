import { namesOf } from "../../../lib/schema/infer.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { moneySchema, notComparedSchema } from "./money-view.ts";

const percentSchema = {
  type: "number",
  nullable: true,
  description: "The difference in percent of the ledger's value. Null when that is zero, or when there is nothing to compare.",
} as const satisfies Schema;

const countsSchema = {
  title: "ReconciledCount",
  type: "object",
  description: "`input_tokens` exclude `cached_tokens` and `cache_write_tokens` when the bill lists those.",
  required: ["ledger", "bill", "difference", "percent", "drifts"],
  properties: {
    ledger: { type: "integer", nullable: true },
    bill: { type: "integer", nullable: true, description: "The bill's value; null when the bill does not have it." },
    difference: { type: "integer", nullable: true, description: "The bill's value minus the ledger's." },
    percent: percentSchema,
    drifts: { type: "boolean", description: "Whether the difference is above the threshold. Requests are shown but never drift." },
  },
} as const satisfies Schema;

const costSchema = {
  title: "ReconciledCost",
  type: "object",
  required: ["ledger", "bill", "difference", "percent", "drifts"],
  properties: {
    ledger: { type: "string", nullable: true, description: "Dollars, at the provider's list price. Null when that is unknown." },
    bill: { type: "string", nullable: true, description: "Dollars. Null when the bill does not have it." },
    difference: { type: "string", nullable: true },
    percent: percentSchema,
    drifts: { type: "boolean" },
  },
} as const satisfies Schema;

const cellSchemas = {
  requests: countsSchema,
  input_tokens: countsSchema,
  cached_tokens: countsSchema,
  cache_write_tokens: countsSchema,
  output_tokens: countsSchema,
  cost: costSchema,
} as const satisfies Record<string, Schema>;

const names = { type: "array", items: { type: "string" } } as const satisfies Schema;

const rowSchema = {
  title: "ReconciledRow",
  type: "object",
  required: [
    "day",
    "model",
    "matched_by",
    "ledger_models",
    "bill_models",
    "drifts",
    ...namesOf(cellSchemas),
    "reasoning_tokens",
    "reasons",
  ],
  properties: {
    day: { type: "string", description: "The day, such as 2027-01-31." },
    model: {
      type: "string",
      nullable: true,
      description: "The model; null for responses from before the provider's model name was recorded.",
    },
    matched_by: {
      type: "string",
      nullable: true,
      enum: ["name", "date"],
      description: "How the model names were matched; null when only one side has the model.",
    },
    ledger_models: { ...names, description: "The model's names in the ledger." },
    bill_models: { ...names, description: "The model's names on the bill." },
    drifts: { type: "boolean" },
    ...cellSchemas,
    reasoning_tokens: { type: "integer", description: "The reasoning tokens among the ledger's output tokens." },
    reasons: {
      title: "DriftReasons",
      type: "object",
      description: "Possible reasons for a difference without an error on either side.",
      required: ["unmeasured_requests", "unmeasured_tokens", "unanswered_attempts", "requests_across_midnight", "rounded_by"],
      properties: {
        unmeasured_requests: { type: "integer", description: "Requests whose tokens the upstream has not reported completely." },
        unmeasured_tokens: { type: "integer" },
        unanswered_attempts: { type: "integer", description: "Attempts that were cut off or timed out, and may be billed." },
        requests_across_midnight: { type: "integer", description: "Requests that started on one day and ended on another." },
        rounded_by: { type: "string", description: "The maximum rounding error of the bill's amounts, in dollars." },
      },
    },
  },
} as const satisfies Schema;

/** The reply of `POST /api/reconciliations`. */
export const reconciliationSchema = {
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
    to: { type: "string", description: "The last day, inclusive." },
    is_over: { type: "boolean", description: "Whether the last day has ended." },
    threshold_percent: { type: "number" },
    drifts: { type: "boolean", description: "Whether any row drifts." },
    agrees: { type: "boolean", description: "Whether no row drifts, and both sides were compared completely." },
    money: moneySchema,
    bill: {
      title: "ReconciledBill",
      type: "object",
      required: ["format", "lines", "from", "to", "compared", "ignored_columns", "outside_range"],
      properties: {
        format: { type: "string", enum: ["openai_usage", "openai_costs", "anthropic_usage", "anthropic_costs", "plain"] },
        lines: { type: "integer" },
        from: { type: "string", nullable: true, description: "The first day of the bill; null when it has no records." },
        to: { type: "string", nullable: true, description: "The last day of the bill." },
        compared: {
          type: "array",
          items: { type: "string", enum: Object.keys(cellSchemas) },
          description: "The measures that the bill can be compared by.",
        },
        ignored_columns: names,
        outside_range: { type: "integer", description: "The number of models and days on the bill before `from` or after `to`." },
      },
    },
    totals: {
      title: "ReconciledTotals",
      type: "object",
      required: namesOf(cellSchemas),
      properties: cellSchemas,
      description: "Totals over the rows for which both sides have a value.",
    },
    days: {
      title: "ReconciledDays",
      type: "object",
      required: ["not_on_bill", "not_in_ledger"],
      properties: { not_on_bill: names, not_in_ledger: names },
    },
    models: {
      title: "ReconciledModels",
      type: "object",
      required: ["not_on_bill", "not_in_ledger", "without_price"],
      properties: { not_on_bill: names, not_in_ledger: names, without_price: names },
    },
    rows: { type: "array", items: rowSchema, description: "Rows by day and model. Rows that are zero on both sides are omitted." },
    not_compared: {
      type: "array",
      items: notComparedSchema,
      description: "Amounts that could not be compared, by day and model, with the reason.",
    },
  },
} as const satisfies Schema;
