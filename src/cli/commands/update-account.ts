import { loadConfig } from "../../config.ts";
import { UsageError, type Command } from "../command.ts";
import { LIMIT_OPTIONS, readLimitOptions } from "../limit-options.ts";
import { callPlatform } from "../platform-client.ts";
import type { AccountView } from "../views.ts";
import { describeAccount } from "./show-account.ts";

export const updateAccount: Command = {
  summary: "Changes what is given of an account, from the next request on.",
  options: { name: "what it is called", ...LIMIT_OPTIONS },
  operands: ["ID"],
  async run({ json, options, operands }) {
    const { name } = options;
    const changes = { ...(name !== undefined && { name }), ...readLimitOptions(options) };
    if (Object.keys(changes).length === 0) throw new UsageError("say what to change");
    const path = `/api/accounts/${encodeURIComponent(operands[0]!)}`;
    const account = await callPlatform<AccountView>(await loadConfig(), "PATCH", path, changes);
    process.stdout.write(json ? `${JSON.stringify(account)}\n` : describeAccount(account));
  },
};
