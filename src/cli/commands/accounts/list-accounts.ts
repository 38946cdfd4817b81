import { listCommand } from "../../list-command.ts";
import { choice, text } from "../../options.ts";
import type { AccountView } from "../../views.ts";

export const listAccounts = listCommand<AccountView>({
  summary: "Lists the accounts and what they have, in dollars.",
  examples: ["accounts list", "accounts list --search acme", "accounts list --order available --limit 10"],
  options: {
    search: text("search", "those whose id or name has this in it"),
    order: choice("order", ["id", "available"], "by id, or those with the least to spend first; id, if not given"),
  },
  call: "GET /api/accounts",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "CREDIT", cell: ({ credit }) => credit, align: "point" },
    { heading: "HELD", cell: ({ held }) => held, align: "point" },
    { heading: "SPENT (MONTH)", cell: ({ spent }) => spent.month, align: "point" },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});
