import { listCommand } from "../../list-command.ts";
import { text } from "../../options.ts";
import type { ChangeView } from "../../views.ts";
import { inTime } from "../../words.ts";
import { describeChange } from "./describe-change.ts";

export const listChanges = listCommand<ChangeView>({
  summary: "Lists the changes that were made on the platform: who, when, from where, and what; newest first.",
  details: "--json has each thing as it was before and after, in full.",
  examples: ["audit log", "audit log --kind key --from 2027-01-01 --to 2027-02-01", "audit log --actor operator-token --all --json"],
  options: {
    actor: text("actor", "those that one person or token made, by id", "ID"),
    action: text("action", "those of one kind, such as key.create", "ACTION"),
    kind: text("kind", "those to one kind of thing, such as key", "KIND"),
    id: text("id", "those to the thing with this id", "ID"),
    account: text("account", "those that concern one account", "ACCOUNT"),
    from: text("from", "those from this moment on: 2027-01-31, or 2027-01-31T12:00:00Z", "WHEN"),
    to: text("to", "those before this moment", "WHEN"),
  },
  call: "GET /api/audit-log",
  columns: [
    { heading: "ID", cell: ({ id }) => String(id), align: "right" },
    { heading: "WHEN (UTC)", cell: ({ at }) => inTime(at) },
    { heading: "WHO", cell: (change) => change.actor_name, isLong: true },
    { heading: "FROM", cell: ({ address }) => address ?? "", isLong: true },
    { heading: "ACTION", cell: ({ action }) => action },
    { heading: "OF", cell: ({ target }) => target.id, isLong: "least" },
    { heading: "CHANGED", cell: describeChange, isLong: "least" },
  ],
});
