import { NOT_COMPARED_REASONS, type Money, type NotCompared } from "../../../reconciliation/money.ts";
import { formatPicos } from "../../../money/money.ts";
import type { Schema } from "../../../lib/schema/schema.ts";

export function viewMoney({ billPicos, agreedPicos, differingPicos, notComparedPicos }: Money) {
  return {
    bill: formatPicos(billPicos),
    agreed: formatPicos(agreedPicos),
    differing: formatPicos(differingPicos),
    not_compared: formatPicos(notComparedPicos),
  };
}

export function viewNotCompared({ day, model, reason, billPicos, ledgerPicos }: NotCompared) {
  return {
    day,
    model: model ?? null,
    reason,
    bill: billPicos === undefined ? null : formatPicos(billPicos),
    ledger: ledgerPicos === undefined ? null : formatPicos(ledgerPicos),
  };
}

export const moneySchema = {
  title: "ReconciledMoney",
  type: "object",
  nullable: true,
  required: ["bill", "agreed", "differing", "not_compared"],
  description: "Sums of the bill's amounts, in dollars; null when it has none. `bill` is exactly the sum of the other three.",
  properties: {
    bill: { type: "string" },
    agreed: { type: "string", description: "Amounts that agree with the ledger, within the threshold." },
    differing: { type: "string", description: "Amounts that differ from the ledger." },
    not_compared: { type: "string", description: "Amounts in `not_compared`." },
  },
} as const satisfies Schema;

export const notComparedSchema = {
  title: "NotCompared",
  type: "object",
  required: ["day", "model", "reason", "bill", "ledger"],
  properties: {
    day: { type: "string", description: "The day, such as 2027-01-31." },
    model: {
      type: "string",
      nullable: true,
      description: "The model; null for responses from before the provider's model name was recorded.",
    },
    reason: {
      type: "string",
      enum: NOT_COMPARED_REASONS,
      description:
        "`outside_range`: before `from` or after `to`. `not_in_ledger`, `not_on_bill`: only one side has it. `no_cost_price`: neither a `cost` on its route nor a list price is known. `no_model_name`: the ledger has no model name.",
    },
    bill: { type: "string", nullable: true, description: "The amount on the bill in dollars; null when the bill has no amounts." },
    ledger: {
      type: "string",
      nullable: true,
      description: "The amount in the ledger in dollars; null when it is unknown or outside of the range.",
    },
  },
} as const satisfies Schema;
