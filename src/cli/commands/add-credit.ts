import { loadConfig } from "../../config.ts";
import { UsageError, type Command } from "../command.ts";
import { parseDollars } from "../../vocabulary/money.ts";
import { askPlatform } from "../platform-client.ts";
import type { EntryView } from "../views.ts";
import { inDollars } from "../words.ts";

export const grantCredit = creditCommand("grants", "Gives an account credit, in dollars.");

export const adjustCredit = creditCommand("adjustments", "Puts an account's credit right, up or down: 5, or -5.");

function creditCommand(collection: "grants" | "adjustments", summary: string): Command {
  return {
    summary,
    options: {
      reason: "why; it stays in the ledger",
      reference: "your own name for it, such as an invoice number: the same one again adds nothing; random, if not given",
    },
    operands: ["ACCOUNT", "AMOUNT"],
    async run({ json, options, operands }) {
      const [account, amount] = operands as [string, string];
      const { reason, reference = `cli-${crypto.randomUUID()}` } = options;
      if (parseDollars(amount) === undefined) throw new UsageError(`AMOUNT must be dollars, such as 12.50, not ${JSON.stringify(amount)}`);
      if (!reason) throw new UsageError("say why: --reason 'invoice 17 was paid'");
      const path = `/api/accounts/${encodeURIComponent(account)}/${collection}`;
      const { status, answer } = await askPlatform<EntryView>(await loadConfig(), "POST", path, { amount, reference, reason });
      process.stdout.write(json ? `${JSON.stringify({ ...answer, is_new: status === 201 })}\n` : describe(answer, status === 201));
    },
  };
}

function describe({ id, kind, account, amount, at, reference }: EntryView, isNew: boolean): string {
  const what = kind === "grant" ? `grants ${account} ${inDollars(amount)}` : `adjusts ${account} by ${inDollars(amount)}`;
  if (isNew) return `New: entry ${id} ${what}, under the reference ${reference}.\n`;
  return `Nothing new: entry ${id} of ${at.slice(0, 10)} ${what} already, under the reference ${reference}.\n`;
}
