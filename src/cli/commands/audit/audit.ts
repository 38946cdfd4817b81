import type { AuditReport, Change } from "../../../../platform-client/types.ts";
import { formatCount, formatTime } from "../../format/format-values.ts";
import { listCommand } from "../../list-command.ts";
import { momentAgo, text } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import { describeChange } from "./format-change.ts";

export const runAudit = platformCommand<AuditReport>({
  summary: "Verify the ledger: recompute every balance from its entries.",
  details: "The gateway keeps serving during the check. Exit code 1 if a recomputed value differs from the recorded one.",
  examples: ["audit", "audit --json"],
  call: "GET /api/audit",
  print: describeAudit,
  verdict: ({ discrepancy_count: count }) =>
    count === 0 ? undefined : `the ledger has ${formatCount(count, "discrepancy", "discrepancies")}`,
});

function describeAudit({ checked, as_of_entry: asOf, discrepancy_count: count, discrepancies }: AuditReport): string {
  const of = `${formatCount(checked.requests, "request")} and ${formatCount(checked.accounts, "account")}`;
  const outcome = count === 0 ? "No discrepancies." : `${formatCount(count, "discrepancy", "discrepancies")}:`;
  const items = discrepancies.map(
    ({ where, what, expected, found }) =>
      `\n${String(where)}\n  ${String(what)}\n  expected  ${String(expected)}\n  found     ${String(found)}\n`,
  );
  const left = count - discrepancies.length;
  const more = left > 0 ? `\n… and ${left.toLocaleString("en-US")} more.\n` : "";
  return `Checked ${formatCount(checked.entries, "entry", "entries")} of ${of}, up to entry ${asOf}. ${outcome}\n${items.join("")}${more}`;
}

export const listChanges = listCommand<Change>({
  summary: "List audit log entries, newest first: time, actor, client address and change.",
  details: "--json has the complete state before and after each change.",
  examples: ["audit log", "audit log --kind key --since 2027-01-01 --until 2027-02-01", "audit log --actor operator-token --all --json"],
  options: {
    actor: text("actor", "only changes by this person or token, by ID", "ID"),
    action: text("action", "only this action, such as key.create", "ACTION"),
    kind: text("kind", "only changes to this kind of resource, such as key", "KIND"),
    id: text("id", "only changes to the resource with this ID", "ID"),
    account: text("account", "only changes that concern this account", "ACCOUNT"),
    since: momentAgo("from", "start of the range: 7d, 2027-01-31, or 2027-01-31T12:00:00Z"),
    until: momentAgo("to", "end of the range, exclusive"),
  },
  call: "GET /api/audit-log",
  columns: [
    { heading: "ID", cell: ({ id }) => String(id), align: "right" },
    { heading: "TIME (UTC)", cell: ({ at }) => formatTime(at) },
    { heading: "ACTOR", cell: (change) => change.actor_name, isLong: true },
    { heading: "FROM", cell: ({ address }) => address ?? "", isSpare: true },
    { heading: "ACTION", cell: ({ action }) => action },
    { heading: "RESOURCE", cell: ({ target }) => target.id, isLong: "least" },
    { heading: "CHANGE", cell: describeChange, isProse: true },
  ],
});
