import type { Account } from "../../../access/account.ts";
import { carriedSpendSchema } from "../../../money/carried-spend.ts";
import { formatDollars } from "../../../money/money.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";
import { describeAccount, logBodiesSchema, priceListOfAccountSchema, showCreditSchema } from "../../../access/declared-account.ts";
import { availableCredit, creditLineSchema } from "../../../money/credit-line.ts";
import { lowCreditSchema, shownCapsSchema, shownLimitsSchema, viewDollars } from "../../../money/declared-limits.ts";
import { attributionProperties } from "../../../access/attribution-settings.ts";
import { shownModelsSchema } from "../../../models/models-schema.ts";
import { managedBySchema } from "../fields/managed-by.ts";
import { spentSchema } from "../fields/spent-schema.ts";
import { timeSchema } from "../fields/times.ts";

export const accountSchema = {
  title: "Account",
  type: "object",
  required: [
    "id",
    "name",
    "created_at",
    "models",
    "credit",
    "held",
    "available",
    "spent",
    "limits",
    "caps",
    "carried_spend",
    "credit_line",
    "low_credit",
    "log_bodies",
    "attribution",
    "metadata_tags",
    "conversation_key",
    "show_credit",
    "price_list",
    "archived_at",
    "managed_by",
  ],
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    created_at: timeSchema,
    models: { ...shownModelsSchema, description: "The models that its keys may call, further restricted by each key's own list." },
    credit: { type: "string", description: "Grants and adjustments minus charges, in dollars." },
    held: { type: "string", description: "Credit reserved by in-flight requests, in dollars." },
    available: {
      type: "string",
      nullable: true,
      description: "The credit and the credit line minus the reserved amount, in dollars; null where the credit line is unlimited.",
    },
    spent: spentSchema,
    limits: shownLimitsSchema,
    caps: shownCapsSchema,
    carried_spend: carriedSpendSchema,
    credit_line: creditLineSchema,
    low_credit: lowCreditSchema,
    log_bodies: logBodiesSchema,
    ...attributionProperties,
    show_credit: showCreditSchema,
    price_list: priceListOfAccountSchema,
    archived_at: { ...timeSchema, nullable: true, description: "Since when it is archived; null when it is not." },
    managed_by: { ...managedBySchema, enum: ["operator", "file"] },
  },
} as const satisfies Schema;

/** An account as the API returns it, with its balance and spend. Amounts are dollars, as strings. */
export function viewAccount(account: Account, { accounts, ledgerRecords, nowMs }: Platform) {
  const { creditNanos, heldNanos } = ledgerRecords.balanceOf(account.id);
  const { dayNanos, monthNanos, totalNanos } = ledgerRecords.spendingOf("account", account.id, nowMs());
  return {
    ...describeAccount(account),
    managed_by: accounts.originOf(account.id),
    credit: formatDollars(creditNanos),
    held: formatDollars(heldNanos),
    available: viewDollars(availableCredit(creditNanos, heldNanos, account.creditLine)),
    spent: { day: formatDollars(dayNanos), month: formatDollars(monthNanos), total: formatDollars(totalNanos) },
  };
}
