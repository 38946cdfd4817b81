import type { Entry } from "../../../platform-client/types.ts";
import type { Command } from "../command.ts";
import { formatUsd, formatTime } from "../format/format-values.ts";
import { listCommand } from "../list-command.ts";
import { readDollars, required, text } from "../options.ts";
import { platformCommand } from "../platform-command.ts";
import { ACCOUNT } from "./accounts.ts";

export const grantCredit = creditCommand("grants", "Grant an account credit, in dollars.", [
  "credits grant default 25 --reason 'initial credit'",
  "credits grant default 112.50 --reason 'invoice 17 was paid' --reference inv-17",
]);

export const adjustCredit = creditCommand("adjustments", "Adjust an account's credit up or down: 5, or -5.", [
  "credits adjust default -5 --reason 'granted twice'",
]);

function creditCommand(collection: "grants" | "adjustments", summary: string, examples: Command["examples"]): Command {
  return platformCommand<Entry & { readonly is_new?: boolean }>({
    summary,
    examples,
    operands: [ACCOUNT, { name: "AMOUNT", field: "amount", meaning: "amount in dollars, with up to nine decimals", read: readDollars }],
    options: {
      reason: required(text("reason", "reason, recorded in the ledger"), "give a reason: --reason 'invoice 17 was paid'"),
      reference: text("reference", "your own reference, such as an invoice number; repeating it adds nothing (default: random)"),
    },
    call: `POST /api/accounts/{id}/${collection}`,
    complete: (fields) => ({ reference: `cli-${crypto.randomUUID()}`, ...fields }),
    shape: (entry, status) => ({ ...entry, is_new: status === 201 }),
    print: describeCredit,
  });
}

function describeCredit({ id, kind, account, amount, at, reference, is_new: isNew }: Entry & { readonly is_new?: boolean }): string {
  const what = kind === "grant" ? `grant of ${formatUsd(amount)} to ${account}` : `adjustment of ${formatUsd(amount)} for ${account}`;
  if (isNew) return `Recorded entry ${id}: ${what} (reference ${reference}).\n`;
  return `Nothing recorded: entry ${id} of ${at.slice(0, 10)} already has the reference ${reference}: ${what}.\n`;
}

/** Members do not receive entry IDs, so the column is empty and not shown. */
interface ListedEntry extends Entry {
  readonly number: number;
}

export const listEntries = listCommand<ListedEntry>({
  summary: "List the ledger entries of an account, newest first.",
  details: "Each charged request is an entry; receipt itemizes one.",
  examples: ["credits list default", "credits list default --limit 10", "credits list default --reference inv-17"],
  operands: [ACCOUNT],
  options: { reference: text("reference", "the grant or adjustment with this reference", "REFERENCE") },
  call: "GET /api/accounts/{id}/entries",
  columns: [
    { heading: "NO.", cell: ({ number }) => String(number), align: "right" },
    { heading: "ID", cell: ({ id }) => String(id ?? "") },
    { heading: "TIME (UTC)", cell: ({ at }) => formatTime(at) },
    { heading: "KIND", cell: ({ kind }) => kind },
    { heading: "AMOUNT", cell: signed, align: "point" },
    { heading: "MODEL", cell: ({ model }) => model ?? "", isLong: true },
    { heading: "REQUEST OR REFERENCE", cell: (entry) => entry.request_id ?? entry.reference ?? "" },
    { heading: "REASON", cell: ({ reason }) => reason, isLong: true },
  ],
});

/** The change of the credit, with its sign. */
function signed({ kind, amount }: Entry): string {
  if (kind === "release") return "";
  return kind === "settle" && /[1-9]/.test(amount) ? `-${amount}` : amount;
}
