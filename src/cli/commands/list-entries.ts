import { loadConfig } from "../../config.ts";
import type { Command } from "../command.ts";
import { callPlatform } from "../platform-client.ts";
import { alignPoints, formatTable } from "../table.ts";
import type { EntryView } from "../views.ts";
import { inTime } from "../words.ts";

export const listEntries: Command = {
  summary: "Lists what has changed an account's credit, newest first.",
  options: { limit: "how many, up to 1000; 50, if not given", cursor: "where to go on, as the page before says" },
  operands: ["ACCOUNT"],
  async run({ json, options, operands }) {
    const account = operands[0]!;
    const query = new URLSearchParams();
    for (const name of ["cursor", "limit"]) if (options[name] !== undefined) query.set(name, options[name]);
    const path = `/api/accounts/${encodeURIComponent(account)}/entries?${query.toString()}`;
    const answer = await callPlatform<{ data: EntryView[]; next: string | null }>(await loadConfig(), "GET", path);
    const more = answer.next === null ? "" : `\nOlder ones: npx tollgate credits list ${account} --cursor ${answer.next}\n`;
    process.stdout.write(json ? `${JSON.stringify(answer)}\n` : toTable(answer.data) + more);
  },
};

function toTable(entries: readonly EntryView[]): string {
  const amounts = alignPoints(entries.map(signed));
  const rows = entries.map((entry, at) => [
    String(entry.id),
    inTime(entry.at),
    entry.kind,
    amounts[at]!,
    entry.model ?? "",
    entry.request_id ?? entry.reference ?? "",
    entry.reason,
  ]);
  return formatTable(["ID", "WHEN (UTC)", "KIND", "AMOUNT", "MODEL", "REQUEST OR REFERENCE", "REASON"], rows);
}

/** What an entry does to the credit. */
function signed({ kind, amount }: EntryView): string {
  if (kind === "release") return "";
  return kind === "settle" && /[1-9]/.test(amount) ? `-${amount}` : amount;
}
