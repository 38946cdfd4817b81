import { NOT_COMPARED_REASONS, type Money, type NotCompared } from "../../../reconciliation/money.ts";
import { formatPicos } from "../../../money/money.ts";
import type { Schema } from "../../../lib/schema/schema.ts";

export function viewMoney({ billPicos, agreedPicos, differingPicos, notComparedPicos }: Money): object {
  return {
    bill: formatPicos(billPicos),
    agreed: formatPicos(agreedPicos),
    differing: formatPicos(differingPicos),
    not_compared: formatPicos(notComparedPicos),
  };
}

export function viewNotCompared({ day, model, reason, billPicos, ledgerPicos }: NotCompared): object {
  return {
    day,
    model: model ?? null,
    reason,
    bill: billPicos === undefined ? null : formatPicos(billPicos),
    ledger: ledgerPicos === undefined ? null : formatPicos(ledgerPicos),
  };
}

export const moneySchema: Schema = {
  title: "ReconciledMoney",
  type: "object",
  nullable: true,
  required: ["bill", "agreed", "differing", "not_compared"],
  description: "All amounts of the bill, in dollars; null where it has none. `bill` is the sum of the other three, exactly.",
  properties: {
    bill: { type: "string" },
    agreed: { type: "string", description: "Amounts that agree with the ledger, within the threshold." },
    differing: { type: "string", description: "Amounts that the ledger has other amounts for." },
    not_compared: { type: "string", description: "Amounts in `not_compared`." },
  },
};

export const notComparedSchema: Schema = {
  title: "NotCompared",
  type: "object",
  required: ["day", "model", "reason", "bill", "ledger"],
  properties: {
    day: { type: "string", description: "Such as 2027-01-31." },
    model: { type: "string", nullable: true, description: "Null for responses from before the provider's name of the model was recorded." },
    reason: {
      type: "string",
      enum: NOT_COMPARED_REASONS,
      description:
        "`outside_range`: before `from` or after `to`. `not_in_ledger`, `not_on_bill`: one side alone has it. `no_cost_price`: it has neither a `cost` on its route nor a list price. `no_model_name`: the ledger has no name for it.",
    },
    bill: { type: "string", nullable: true, description: "Dollars. Null where the bill has no amounts." },
    ledger: { type: "string", nullable: true, description: "Dollars. Null where it is not known, or outside of the range." },
  },
};
