import { listCommand } from "../../list-command.ts";
import { choice, text } from "../../options.ts";
import type { KeyView } from "../../views.ts";
import { inDay, stateOfKey } from "../../words.ts";

export const listKeys = listCommand<KeyView>({
  summary: "Lists keys, newest first.",
  examples: ["keys list", "keys list --account default --state active", "keys list --search 'my app' --all --json"],
  options: {
    account: text("account", "those of one account", "ACCOUNT"),
    state: choice("state", ["active", "expired", "revoked"], "those in this state"),
    search: text("search", "those whose name has this in it, or whose id begins with it"),
  },
  call: "GET /api/keys",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "STATE", cell: stateOfKey },
    { heading: "EXPIRES", cell: (key) => (key.expires_at === null ? "never" : inDay(key.expires_at)) },
    { heading: "LAST USED", cell: (key) => (key.last_used_at === null ? "never" : inDay(key.last_used_at)) },
    { heading: "ACCOUNT", cell: ({ account }) => account, isLong: true },
    { heading: "SPENT (MONTH)", cell: ({ spent }) => spent.month, align: "point" },
    { heading: "MODELS", cell: ({ models }) => models.join(","), isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});
