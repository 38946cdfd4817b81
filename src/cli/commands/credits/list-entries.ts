import { listCommand } from "../../list-command.ts";
import type { EntryView } from "../../views.ts";
import { inTime } from "../../words.ts";
import { ACCOUNT } from "../accounts/account-operand.ts";

/** For members the column of ids is empty, and so is not shown. */
interface ListedEntry extends EntryView {
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
    { heading: "WHEN (UTC)", cell: ({ at }) => inTime(at) },
    { heading: "KIND", cell: ({ kind }) => kind },
    { heading: "AMOUNT", cell: signed, align: "point" },
    { heading: "MODEL", cell: ({ model }) => model ?? "", isLong: true },
    { heading: "REQUEST OR REFERENCE", cell: (entry) => entry.request_id ?? entry.reference ?? "" },
    { heading: "REASON", cell: ({ reason }) => reason, isLong: true },
  ],
});

/** What an entry does to the credit. */
function signed({ kind, amount }: EntryView): string {
  if (kind === "release") return "";
  return kind === "settle" && /[1-9]/.test(amount) ? `-${amount}` : amount;
}
