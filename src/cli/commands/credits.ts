import type { Entry } from "../../../platform-client/types.ts";
import type { Command } from "../command.ts";
import { formatUsd, formatTime } from "../format-values.ts";
import { listCommand } from "../list-command.ts";
import { readDollars, required, text } from "../options.ts";
import { platformCommand } from "../platform-command.ts";
import { ACCOUNT } from "./accounts.ts";

export const grantCredit = creditCommand("grants", "Gives an account credit, in dollars.", [
  "credits grant default 25 --reason 'to begin with'",
  "credits grant default 112.50 --reason 'invoice 17 was paid' --reference inv-17",
]);

export const adjustCredit = creditCommand("adjustments", "Puts an account's credit right, up or down: 5, or -5.", [
  "credits adjust default -5 --reason 'granted twice'",
]);

function creditCommand(collection: "grants" | "adjustments", summary: string, examples: Command["examples"]): Command {
  return platformCommand<Entry & { readonly is_new?: boolean }>({
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
    print: describeCredit,
  });
}

function describeCredit({ id, kind, account, amount, at, reference, is_new: isNew }: Entry & { readonly is_new?: boolean }): string {
  const what = kind === "grant" ? `grants ${account} ${formatUsd(amount)}` : `adjusts ${account} by ${formatUsd(amount)}`;
  if (isNew) return `New: entry ${id} ${what}, under the reference ${reference}.\n`;
  return `Nothing new: entry ${id} of ${at.slice(0, 10)} ${what} already, under the reference ${reference}.\n`;
}

/** For members the column of ids is empty, and so is not shown. */
interface ListedEntry extends Entry {
  readonly number: number;
}

export const listEntries = listCommand<ListedEntry>({
  summary: "Lists what has changed an account's credit, newest first.",
  details: "Each request that was charged is an entry: `receipt` explains one.",
  examples: ["credits list default", "credits list default --limit 10"],
  operands: [ACCOUNT],
  call: "GET /api/accounts/{id}/entries",
  columns: [
    { heading: "NO.", cell: ({ number }) => String(number), align: "right" },
    { heading: "ID", cell: ({ id }) => String(id ?? "") },
    { heading: "WHEN (UTC)", cell: ({ at }) => formatTime(at) },
    { heading: "KIND", cell: ({ kind }) => kind },
    { heading: "AMOUNT", cell: signed, align: "point" },
    { heading: "MODEL", cell: ({ model }) => model ?? "", isLong: true },
    { heading: "REQUEST OR REFERENCE", cell: (entry) => entry.request_id ?? entry.reference ?? "" },
    { heading: "REASON", cell: ({ reason }) => reason, isLong: true },
  ],
});

/** What an entry does to the credit. */
function signed({ kind, amount }: Entry): string {
  if (kind === "release") return "";
  return kind === "settle" && /[1-9]/.test(amount) ? `-${amount}` : amount;
}
