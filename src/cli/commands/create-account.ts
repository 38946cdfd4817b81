import { loadConfig } from "../../config.ts";
import type { Command } from "../command.ts";
import { LIMIT_OPTIONS, readLimitOptions } from "../limit-options.ts";
import { callPlatform } from "../platform-client.ts";
import type { AccountView } from "../views.ts";

export const createAccount: Command = {
  summary: "Makes an account, without credit.",
  options: { name: "what it is called; its id, if not given", ...LIMIT_OPTIONS },
  operands: ["ID"],
  async run({ json, options, operands }) {
    const id = operands[0]!;
    const body = { id, name: options["name"] ?? id, ...readLimitOptions(options) };
    const account = await callPlatform<AccountView>(await loadConfig(), "POST", "/api/accounts", body);
    const next = `Give it credit with: npx tollgate credits grant ${account.id} 10 --reason '…'`;
    process.stdout.write(json ? `${JSON.stringify(account)}\n` : `Made the account ${account.id} (${account.name}). ${next}\n`);
  },
};
