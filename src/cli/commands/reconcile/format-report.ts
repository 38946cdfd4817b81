import type {
  ReconciledBill,
  ReconciledCost,
  ReconciledCount,
  ReconciledRow,
  ReconciledTotals,
  Reconciliation,
} from "../../../../platform-client/types.ts";
import { summarizeList } from "../../../lib/text/summarize-list.ts";
import { formatCount, formatNumber, formatUsd } from "../../format/format-values.ts";
import { formatTable, formatWrapped, type Column } from "../../format/table.ts";
import { wrap } from "../../format/wrap.ts";
import { formatNotCompared, summarizeMoney } from "./format-money.ts";

type Measure = keyof ReconciledTotals;

interface Line {
  readonly day: string;
  readonly model: string;
  readonly measure: Measure;
  readonly cell: ReconciledCount | ReconciledCost;
}

const MEASURES: Readonly<Record<Measure, string>> = {
  requests: "requests",
  input_tokens: "input",
  cached_tokens: "cached",
  cache_write_tokens: "cache write",
  output_tokens: "output",
  cost: "dollars",
};

const FORMATS: Readonly<Record<string, string>> = {
  openai_usage: "OpenAI usage export",
  openai_costs: "OpenAI cost export",
  anthropic_usage: "Anthropic usage export",
  anthropic_costs: "Anthropic cost export",
  plain: "CSV file",
};

const COLUMNS: readonly Column<Line>[] = [
  { heading: "DAY", cell: ({ day }) => day },
  { heading: "MODEL", cell: ({ model }) => model, isLong: true },
  { heading: "MEASURE", cell: ({ measure }) => MEASURES[measure] },
  { heading: "LEDGER", cell: ({ cell }) => formatAmount(cell.ledger), align: "right" },
  { heading: "BILL", cell: ({ cell }) => formatAmount(cell.bill), align: "right" },
  { heading: "DIFFERENCE", cell: ({ cell }) => withSign(formatAmount(cell.difference)), align: "right" },
  { heading: "PERCENT", cell: ({ cell }) => (cell.percent === null ? "" : withSign(cell.percent.toFixed(2))), align: "right" },
];

/** The rows that differ, or all of them, with possible reasons and the totals. */
export function describeReconciliation(report: Reconciliation, isAll: boolean, width: number | undefined): string {
  const { bill, rows, totals, from, to, zone, upstreams } = report;
  const shown = isAll ? rows : rows.filter((row) => row.drifts);
  const lines = shown.flatMap((row) => linesOf(row.day, row.model ?? "(name not recorded)", row, isAll, bill.compared));
  const sums = bill.compared.map((measure) => ({ day: "Total", model: "", measure, cell: totals[measure] }));
  const head = `${FORMATS[bill.format]} with ${formatCount(bill.lines, "line")}, ${from} to ${to} (${zone}), compared with ${formatUpstreams(upstreams)}.`;
  const table = formatTable(COLUMNS, [...lines, ...sums], width);
  const why = shown.flatMap((row) => reasonsOf(row).map((reason) => [row.day, row.model ?? "(name not recorded)", reason]));
  const reasons = why.length === 0 ? "" : `\nPossible reasons:\n${formatWrapped(why, width, "  ")}`;
  const remarks = remarksOn(report);
  return `${formatLines([head], width)}\n${table}${reasons}${formatNotCompared(report, width)}${remarks.length === 0 ? "" : "\n"}${formatLines(remarks, width)}`;
}

/** The measures that drift, or all that can be compared. */
function linesOf(day: string, model: string, cells: ReconciledTotals, isAll: boolean, compared: readonly Measure[]): Line[] {
  const drifting = compared.filter((measure) => cells[measure].drifts);
  const used = compared.filter((measure) => isUsed(cells[measure].ledger) || isUsed(cells[measure].bill));
  const shown = isAll || drifting.length === 0 ? used : drifting;
  return shown.map((measure) => ({ day, model, measure, cell: cells[measure] }));
}

function reasonsOf({ matched_by: by, ledger_models: ours, bill_models: theirs, reasons, cost }: ReconciledRow): string[] {
  const {
    unmeasured_requests: unmeasured,
    unanswered_attempts: unanswered,
    requests_across_midnight: across,
    rounded_by: rounded,
  } = reasons;
  return [
    by === "date" ? `${ours.join(" and ")} of the ledger is compared with ${theirs.join(" and ")} of the bill` : [],
    unmeasured === 0
      ? []
      : `${formatCount(unmeasured, "request")} of the ledger, with ${formatCount(reasons.unmeasured_tokens, "token")}, ${unmeasured === 1 ? "has" : "have"} no complete token counts from the upstream`,
    unanswered === 0 ? [] : `${formatCount(unanswered, "attempt")} failed or timed out and may be billed; no account was charged`,
    across === 0 ? [] : `${formatCount(across, "request")} crossed midnight; the ledger counts the day of their end`,
    cost.drifts && /[1-9]/.test(rounded) ? `amounts on the bill are rounded, by up to ${formatUsd(rounded)} in total` : [],
  ].flat();
}

/** Remarks below the table. A difference is reported as the error of the command. */
function remarksOn(report: Reconciliation): string[] {
  const { days, models, bill, is_over: isOver, agrees, threshold_percent: percent, to } = report;
  return [
    ...named("Days in the ledger but not on the bill", days.not_on_bill),
    ...named("Days on the bill but not in the ledger", days.not_in_ledger),
    ...named("Models in the ledger but not on the bill", models.not_on_bill),
    ...named("Models on the bill but not in the ledger", models.not_in_ledger),
    ...named("Models without a cost price", models.without_price),
    ...(models.without_price.length === 0 ? [] : ["Set the cost of their routes to the provider's price."]),
    ...named("Ignored columns of the bill", bill.ignored_columns),
    // The only sign of a file that was truncated at the end of a line.
    `The bill covers ${daysOf(bill)}.`,
    ...(isOver ? [] : [`${to} is not over: both amounts may still grow.`]),
    summarizeMoney(report),
    ...(agrees ? [`The bill and the ledger agree within ${percent} %.`] : []),
  ];
}

function daysOf({ from, to }: ReconciledBill): string {
  if (from === null) return "no days";
  return from === to ? from : `${from} to ${to}`;
}

function named(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what}: ${summarizeList(names)}.`];
}

/** Whether the amount is not zero. An unknown amount counts as used, because it may not be zero. */
function isUsed(amount: number | string | null): boolean {
  return amount === null || /[1-9]/.test(String(amount));
}

function formatUpstreams(upstreams: readonly string[]): string {
  return `${upstreams.length === 1 ? "the upstream" : "the upstreams"} ${summarizeList(upstreams)}`;
}

function formatLines(sentences: readonly string[], width: number | undefined): string {
  return sentences.map((sentence) => `${wrap(sentence, width ?? Infinity).join("\n")}\n`).join("");
}

function formatAmount(amount: number | string | null): string {
  if (amount === null) return "?";
  return typeof amount === "number" ? formatNumber(amount) : amount;
}

function withSign(number: string): string {
  return /^[\d.,]*[1-9]/.test(number) ? `+${number}` : number;
}
