import type { ErasedEndUser } from "../../../platform-client/types.ts";
import type { Command, Description, Operand } from "../command.ts";
import { formatCount } from "../format/format-values.ts";
import { reportStatus } from "../output.ts";
import { streamPlatform } from "../platform-client.ts";
import { platformCommand, readFields, withOptionNames } from "../platform-command.ts";
import { writeExport } from "../write-export.ts";

const OPERANDS: readonly Operand[] = [
  { name: "ACCOUNT", meaning: "account ID" },
  { name: "USER", meaning: "end user, as the client names it or as it is stored", field: "user" },
];

const EXPORT: Description = {
  summary: "Export all data of an end user as JSON Lines.",
  details:
    "Ledger entries and logged requests, with prompts and responses if they were logged. The export is recorded in the audit log, with a hash of the end user. Exit code 1 if it is incomplete.",
  examples: ["end-users export default ada > ada.jsonl"],
  operands: OPERANDS,
  options: {},
  call: "POST /api/accounts/{id}/end-users/export",
};

export const exportEndUser: Command = {
  ...EXPORT,
  async run(invocation) {
    const path = `/api/accounts/${encodeURIComponent(invocation.operands[0]!)}/end-users/export`;
    const body = readFields(EXPORT, invocation);
    const lines = await withOptionNames(EXPORT, () => streamPlatform({ method: "POST", path, body }), invocation.operands);
    if (!(await writeExport(lines))) reportStatus("no_data", "nothing is stored of this end user", invocation.json);
  },
};

export const eraseEndUser = platformCommand<ErasedEndUser>({
  summary: "Erase an end user from the ledger, usage reports and request log.",
  details:
    'Amounts stay; the end user and its conversations become "erased", and its logged prompts and responses are deleted. This cannot be undone. Requests in flight are not covered: repeat the command when they have ended, until it erases nothing. Backups, traces and providers are not changed.',
  examples: ["end-users erase default ada"],
  operands: OPERANDS,
  call: "POST /api/accounts/{id}/end-users/erase",
  print: ({ entries, conversations, requests }) =>
    entries + requests === 0
      ? "Nothing to erase.\n"
      : `Erased from ${formatCount(entries, "ledger entry", "ledger entries")} and ${formatCount(requests, "logged request")}, with ${formatCount(conversations, "conversation")}.\n`,
});
