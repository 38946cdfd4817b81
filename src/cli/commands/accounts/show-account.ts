import { formatFacts } from "../../facts.ts";
import { platformCommand } from "../../platform-command.ts";
import type { AccountView } from "../../views.ts";
import { describeLimits, describeSpending, inDollars, inTime, managedBy } from "../../words.ts";
import { ACCOUNT } from "./account-operand.ts";

export const showAccount = platformCommand<AccountView>({
  summary: "Shows an account: its credit, what it has spent, its limits.",
  examples: ["accounts show default"],
  operands: [ACCOUNT],
  call: "GET /api/accounts/{id}",
  print: describeAccount,
});

export function describeAccount(account: AccountView): string {
  return formatFacts([
    ["Account", `${account.id} (${account.name})`],
    ["Managed by", managedBy(account.managed_by)],
    ["Made", `${inTime(account.created_at)} UTC`],
    ["Models", account.models.join(", ")],
    ["Credit", inDollars(account.credit)],
    ["Held", `${inDollars(account.held)} for requests under way, so ${inDollars(account.available)} is left`],
    ...describeSpending(account.spent, account.caps),
    ["Limits", describeLimits(account.limits)],
    ["Alert", account.low_credit === null ? "when it has no more credit" : `below ${inDollars(account.low_credit)} of credit`],
    ...(account.log_bodies ? [["Request log", "keeps what is said"] as const] : []),
  ]);
}
