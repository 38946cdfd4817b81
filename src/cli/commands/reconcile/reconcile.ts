import { readFileSync } from "node:fs";
import type { Reconciliation } from "../../../../platform-client/types.ts";
import { PRESET_IDS } from "../../../models/presets.ts";
import { CommandFailed, UsageError, type Reader } from "../../command.ts";
import { choice, list, text } from "../../options.ts";
import { terminalWidth } from "../../output.ts";
import { platformCommand } from "../../platform-command.ts";
import { verdictOn } from "./format-money.ts";
import { describeReconciliation } from "./format-report.ts";

export const reconcileBill = platformCommand<Reconciliation>({
  summary: "Reconcile a provider's bill with the ledger.",
  details: `The file is the provider's usage or cost export (OpenAI, Anthropic), or your own CSV with the columns date, model, input_tokens,
cached_tokens, output_tokens and cost. Days are in UTC, as in the providers' exports. The bill is not stored. Exit code 1 if the two differ by more
than the threshold, or if a part could not be compared. See docs/reconciliation.md.`,
  examples: [
    "reconcile --provider openai completions_usage_2027-01-01_2027-01-31.csv",
    "reconcile --provider anthropic claude_api_cost_2027_01.csv --threshold 0.5 --all",
    "reconcile --upstream rack,spare-rack january.csv --since 2027-01-01 --until 2027-01-31",
  ],
  operands: [{ name: "FILE", field: "csv", meaning: "bill as CSV", read: readFile, isFile: true }],
  options: {
    provider: {
      ...choice("provider", PRESET_IDS, "provider that sent the bill: openai, anthropic, or another of docs/providers.md"),
      value: "PROVIDER",
    },
    upstream: {
      ...list("upstreams", "upstreams on the bill, separated by commas, including removed ones (default: those at the provider)"),
      gather: (lists) => lists.flat(),
    },
    threshold: {
      field: "threshold_percent",
      meaning: "tolerated difference, in percent of the ledger's amount (default: 1)",
      value: "PERCENT",
      read: readPercent,
    },
    zone: text("zone", "time zone of the provider's days (default: UTC)", "ZONE"),
    since: text("from", "first day (default: the bill's first day)", "DAY"),
    until: text("to", "last day (default: the bill's last day)", "DAY"),
    all: { meaning: "include rows that agree" },
  },
  call: "POST /api/reconciliations",
  print: (answer, { options }) => describeReconciliation(answer, options["all"] !== undefined, terminalWidth()),
  verdict: verdictOn,
});

function readFile(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const isSystemError = error instanceof Error && "syscall" in error && "code" in error;
    throw new CommandFailed(isSystemError ? `${file} cannot be read: ${String(error.code)}` : `${file} is not UTF-8 text`);
  }
}

function readPercent(...[given, name]: Parameters<Reader>): number {
  if (/^\d{1,4}(\.\d{1,4})?$/.test(given)) return Number(given);
  throw new UsageError(`${name} must be a percentage, such as 0.5, not ${JSON.stringify(given)}`);
}
