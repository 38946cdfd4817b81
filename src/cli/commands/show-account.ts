import { loadConfig } from "../../config.ts";
import type { Command } from "../command.ts";
import { callPlatform } from "../platform-client.ts";
import { formatColumns } from "../table.ts";
import type { AccountView } from "../views.ts";
import { describeLimits, describeSpending, inDollars, inTime } from "../words.ts";

export const showAccount: Command = {
  summary: "Shows an account: its credit, what it has spent, its limits.",
  options: {},
  operands: ["ID"],
  async run({ json, operands }) {
    const path = `/api/accounts/${encodeURIComponent(operands[0]!)}`;
    const account = await callPlatform<AccountView>(await loadConfig(), "GET", path);
    process.stdout.write(json ? `${JSON.stringify(account)}\n` : describeAccount(account));
  },
};

export function describeAccount(account: AccountView): string {
  return formatColumns([
    ["Account", `${account.id} (${account.name})`],
    ["Made", `${inTime(account.created_at)} UTC`],
    ["Credit", inDollars(account.credit)],
    ["Held", `${inDollars(account.held)} for requests under way, so ${inDollars(account.available)} is left`],
    ...describeSpending(account.spent, account.caps),
    ["Limits", describeLimits(account.limits)],
  ]);
}
