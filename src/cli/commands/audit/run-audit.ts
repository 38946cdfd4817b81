import { platformCommand } from "../../platform-command.ts";
import type { AuditView } from "../../views.ts";
import { inCount } from "../../words.ts";

export const runAudit = platformCommand<AuditView>({
  summary: "Adds the whole ledger up anew and says where it disagrees with itself.",
  details: "It fails, with exit code 1, where there is a disagreement. The gateway goes on serving meanwhile.",
  examples: ["audit", "audit --json"],
  call: "GET /api/audit",
  print: describe,
  verdict: ({ disagreement_count: count }) => (count === 0 ? undefined : `the ledger disagrees with itself in ${inCount(count, "place")}`),
});

function describe({ checked, as_of_entry: asOf, disagreement_count: count, disagreements }: AuditView): string {
  const of = `${inCount(checked.requests, "request")} and ${inCount(checked.accounts, "account")}`;
  const outcome = count === 0 ? "Everything agrees." : `${inCount(count, "disagreement")}:`;
  const items = disagreements.map(
    ({ where, what, expected, found }) => `\n${where}\n  ${what}\n  expected  ${expected}\n  found     ${found}\n`,
  );
  const left = count - disagreements.length;
  const more = left > 0 ? `\n… and ${left.toLocaleString("en-US")} more.\n` : "";
  return `Checked ${inCount(checked.entries, "entry", "entries")} of ${of}, up to entry ${asOf}. ${outcome}\n${items.join("")}${more}`;
}
