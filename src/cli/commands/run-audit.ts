import { loadConfig } from "../../config.ts";
import { CommandFailed, type Command } from "../command.ts";
import { callPlatform } from "../platform-client.ts";
import type { AuditView } from "../views.ts";
import { inCount } from "../words.ts";

export const runAudit: Command = {
  summary: "Adds the whole ledger up anew and says where it disagrees with itself.",
  options: {},
  operands: [],
  async run({ json }) {
    const report = await callPlatform<AuditView>(await loadConfig(), "GET", "/api/audit");
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : describe(report));
    const { disagreement_count: count } = report;
    if (count > 0) throw new CommandFailed(`the ledger disagrees with itself in ${inCount(count, "place")}`);
  },
};

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
