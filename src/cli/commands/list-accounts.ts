import { loadConfig } from "../../config.ts";
import type { Command } from "../command.ts";
import { callPlatform } from "../platform-client.ts";
import { alignPoints, formatTable } from "../table.ts";
import type { AccountView } from "../views.ts";

export const listAccounts: Command = {
  summary: "Lists the accounts and what they have, in dollars.",
  options: {},
  operands: [],
  async run({ json }) {
    const answer = await callPlatform<{ data: AccountView[] }>(await loadConfig(), "GET", "/api/accounts");
    process.stdout.write(json ? `${JSON.stringify(answer)}\n` : toTable(answer.data));
  },
};

function toTable(accounts: readonly AccountView[]): string {
  const [credit, held, spent] = [
    alignPoints(accounts.map((account) => account.credit)),
    alignPoints(accounts.map((account) => account.held)),
    alignPoints(accounts.map((account) => account.spent.month)),
  ];
  const rows = accounts.map((account, at) => [account.id, credit[at]!, held[at]!, spent[at]!, account.name]);
  return formatTable(["ID", "CREDIT", "HELD", "SPENT THIS MONTH", "NAME"], rows);
}
