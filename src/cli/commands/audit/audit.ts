import type { AuditedCounts, AuditReport, Change } from "../../../../platform-client/types.ts";
import { formatCount, formatTime } from "../../format-values.ts";
import { listCommand } from "../../list-command.ts";
import { text } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import { describeChange } from "./format-change.ts";

export const runAudit = platformCommand<AuditReport>({
  summary: "Adds the whole ledger up anew and says where it disagrees with itself.",
  details: "It fails, with exit code 1, where there is a disagreement. The gateway goes on serving meanwhile.",
  examples: ["audit", "audit --json"],
  call: "GET /api/audit",
  print: describeAudit,
  verdict: ({ disagreement_count: count }) =>
    count === 0 ? undefined : `the ledger disagrees with itself in ${formatCount(count, "place")}`,
});

function describeAudit({ checked: counts, as_of_entry: asOf, disagreement_count: count, disagreements }: AuditReport): string {
  const checked = counts as Required<AuditedCounts>;
  const of = `${formatCount(checked.requests, "request")} and ${formatCount(checked.accounts, "account")}`;
  const outcome = count === 0 ? "Everything agrees." : `${formatCount(count, "disagreement")}:`;
  const items = disagreements.map(
    ({ where, what, expected, found }) =>
      `\n${String(where)}\n  ${String(what)}\n  expected  ${String(expected)}\n  found     ${String(found)}\n`,
  );
  const left = count - disagreements.length;
  const more = left > 0 ? `\n… and ${left.toLocaleString("en-US")} more.\n` : "";
  return `Checked ${formatCount(checked.entries, "entry", "entries")} of ${of}, up to entry ${asOf}. ${outcome}\n${items.join("")}${more}`;
}

export const listChanges = listCommand<Change>({
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
    { heading: "WHEN (UTC)", cell: ({ at }) => formatTime(at) },
    { heading: "WHO", cell: (change) => change.actor_name, isLong: true },
    { heading: "FROM", cell: ({ address }) => address ?? "", isLong: true },
    { heading: "ACTION", cell: ({ action }) => action },
    { heading: "OF", cell: ({ target }) => target.id, isLong: "least" },
    { heading: "CHANGED", cell: describeChange, isLong: "least" },
  ],
});
