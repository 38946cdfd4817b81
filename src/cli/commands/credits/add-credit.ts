import type { Command } from "../../command.ts";
import { readDollars, required, text } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import type { EntryView } from "../../views.ts";
import { inDollars } from "../../words.ts";
import { ACCOUNT } from "../accounts/account-operand.ts";

export const grantCredit = creditCommand("grants", "Gives an account credit, in dollars.", [
  "credits grant default 25 --reason 'to begin with'",
  "credits grant default 112.50 --reason 'invoice 17 was paid' --reference inv-17",
]);

export const adjustCredit = creditCommand("adjustments", "Puts an account's credit right, up or down: 5, or -5.", [
  "credits adjust default -5 --reason 'granted twice'",
]);

function creditCommand(collection: "grants" | "adjustments", summary: string, examples: Command["examples"]): Command {
  return platformCommand<EntryView & { readonly is_new?: boolean }>({
    summary,
    examples,
    operands: [ACCOUNT, { name: "AMOUNT", field: "amount", meaning: "dollars, to nine decimals at most", read: readDollars }],
    options: {
      reason: required(text("reason", "why; it stays in the ledger"), "say why: --reason 'invoice 17 was paid'"),
      reference: text(
        "reference",
        "your own name for it, such as an invoice number: the same one again adds nothing; random, if not given",
      ),
    },
    call: `POST /api/accounts/{id}/${collection}`,
    complete: (fields) => ({ reference: `cli-${crypto.randomUUID()}`, ...fields }),
    shape: (entry, status) => ({ ...entry, is_new: status === 201 }),
    print: describe,
  });
}

function describe({ id, kind, account, amount, at, reference, is_new: isNew }: EntryView & { readonly is_new?: boolean }): string {
  const what = kind === "grant" ? `grants ${account} ${inDollars(amount)}` : `adjusts ${account} by ${inDollars(amount)}`;
  if (isNew) return `New: entry ${id} ${what}, under the reference ${reference}.\n`;
  return `Nothing new: entry ${id} of ${at.slice(0, 10)} ${what} already, under the reference ${reference}.\n`;
}
