import { readFileSync } from "node:fs";
import { PRESET_IDS } from "../../../models/presets.ts";
import { CommandFailed, UsageError, type Reader } from "../../command.ts";
import { choice, list, text } from "../../options.ts";
import { terminalWidth } from "../../output.ts";
import { platformCommand } from "../../platform-command.ts";
import { verdictOn } from "./format-money.ts";
import { describeReconciliation } from "./format-report.ts";
import type { Report } from "./report.ts";

export const reconcileBill = platformCommand<Report>({
  summary: "Holds a provider's bill against the ledger, and shows where they differ.",
  details: `The file is the provider's export of usage or costs (OpenAI, Anthropic), or one of your own, with the
columns date, model, input_tokens, cached_tokens, output_tokens and cost. It fails, with exit code 1, where they differ by more than the threshold, and where anything of
either could not be compared. Days are of UTC, as the providers' are. Nothing of the bill is kept. docs/reconciliation.md tells more.`,
  examples: [
    "reconcile --provider openai completions_usage_2027-01-01_2027-01-31.csv",
    "reconcile --provider anthropic claude_api_cost_2027_01.csv --threshold 0.5 --all",
    "reconcile --upstream rack,spare-rack january.csv --from 2027-01-01 --to 2027-01-31",
  ],
  operands: [{ name: "FILE", field: "csv", meaning: "the bill, as CSV", read: readFile, isFile: true }],
  options: {
    provider: {
      ...choice("provider", PRESET_IDS, "whose bill it is: openai, anthropic, or another of docs/providers.md"),
      value: "PROVIDER",
    },
    upstream: {
      ...list("upstreams", "the upstreams that it is about, also ones that are gone; those at the provider, if not given"),
      gather: (lists) => lists.flat(),
    },
    threshold: {
      field: "threshold_percent",
      meaning: "by how much of what the ledger has they may differ; 1, if not given",
      value: "PERCENT",
      read: readPercent,
    },
    zone: text("zone", "the zone that the provider's days are of; UTC, if not given", "ZONE"),
    from: text("from", "the first day; that of the bill, if not given", "DAY"),
    to: text("to", "the last day; that of the bill, if not given", "DAY"),
    all: { meaning: "show what agrees as well" },
  },
  call: "POST /api/reconciliations",
  print: (answer, { options }) => describeReconciliation(answer, options["all"] !== undefined, terminalWidth()),
  verdict: verdictOn,
});

function readFile(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const isOfTheSystem = error instanceof Error && "syscall" in error && "code" in error;
    throw new CommandFailed(isOfTheSystem ? `${file} cannot be read: ${String(error.code)}` : `${file} is not text in UTF-8`);
  }
}

function readPercent(...[given, name]: Parameters<Reader>): number {
  if (/^\d{1,4}(\.\d{1,4})?$/.test(given)) return Number(given);
  throw new UsageError(`${name} must be percent, such as 0.5, not ${JSON.stringify(given)}`);
}
