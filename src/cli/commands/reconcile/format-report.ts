import { summarizeList } from "../../../lib/text/summarize-list.ts";
import { formatCount, formatUsd } from "../../format-values.ts";
import { formatTable, formatWrapped, type Column } from "../../table.ts";
import { wrap } from "../../wrap.ts";
import { formatNotCompared, summarizeMoney } from "./format-money.ts";
import type { Cell, Cells, MeasureName, Report, Row } from "./report.ts";

/** One line of the table. */
interface Line {
  readonly day: string;
  readonly model: string;
  readonly measure: MeasureName;
  readonly cell: Cell;
}

const WORDS: Readonly<Record<MeasureName, string>> = {
  requests: "requests",
  input_tokens: "input",
  cached_tokens: "cached",
  cache_write_tokens: "cache write",
  output_tokens: "output",
  cost: "dollars",
};

const FORMATS: Readonly<Record<string, string>> = {
  openai_usage: "OpenAI's export of usage",
  openai_costs: "OpenAI's export of costs",
  anthropic_usage: "Anthropic's export of usage",
  anthropic_costs: "Anthropic's export of costs",
  plain: "A plain file",
};

const COLUMNS: readonly Column<Line>[] = [
  { heading: "DAY", cell: ({ day }) => day },
  { heading: "MODEL", cell: ({ model }) => model, isLong: true },
  { heading: "WHAT", cell: ({ measure }) => WORDS[measure] },
  { heading: "LEDGER", cell: ({ cell }) => formatAmount(cell.ledger), align: "right" },
  { heading: "BILL", cell: ({ cell }) => formatAmount(cell.bill), align: "right" },
  { heading: "DIFFERENCE", cell: ({ cell }) => withSign(formatAmount(cell.difference)), align: "right" },
  { heading: "PERCENT", cell: ({ cell }) => (cell.percent === null ? "" : withSign(cell.percent.toFixed(2))), align: "right" },
];

/** The two side by side: what differs, or all of it, why that may be, and what it comes to. */
export function describeReconciliation(report: Report, isAll: boolean, width: number | undefined): string {
  const { bill, rows, totals, from, to, zone, upstreams } = report;
  const shown = isAll ? rows : rows.filter((row) => row.drifts);
  const lines = shown.flatMap((row) => linesOf(row.day, row.model ?? "(name not kept)", row, isAll, bill.compared));
  const sums = bill.compared.map((measure) => ({ day: "Total", model: "", measure, cell: totals[measure] }));
  const head = `${FORMATS[bill.format]}, ${formatCount(bill.lines, "line")}, ${from} to ${to} by the calendar in ${zone}, against ${formatUpstreams(upstreams)}.`;
  const table = formatTable(COLUMNS, [...lines, ...sums], width);
  const why = shown.flatMap((row) => reasonsOf(row).map((reason) => [row.day, row.model ?? "(name not kept)", reason]));
  const reasons = why.length === 0 ? "" : `\nWhy they may differ:\n${formatWrapped(why, width, "  ")}`;
  const remarks = remarksOn(report);
  return `${formatLines([head], width)}\n${table}${reasons}${formatNotCompared(report, width)}${remarks.length === 0 ? "" : "\n"}${formatLines(remarks, width)}`;
}

/** What drifts, or all that can be compared. */
function linesOf(day: string, model: string, cells: Cells, isAll: boolean, compared: readonly MeasureName[]): Line[] {
  const drifting = compared.filter((measure) => cells[measure].drifts);
  const used = compared.filter((measure) => isUsed(cells[measure].ledger) || isUsed(cells[measure].bill));
  const shown = isAll || drifting.length === 0 ? used : drifting;
  return shown.map((measure) => ({ day, model, measure, cell: cells[measure] }));
}

function reasonsOf({ matched_by: by, ledger_models: ours, bill_models: theirs, reasons, cost }: Row): string[] {
  const {
    unmeasured_requests: unmeasured,
    unanswered_attempts: unanswered,
    requests_across_midnight: across,
    rounded_by: rounded,
  } = reasons;
  return [
    by === "date" ? `what the ledger calls ${ours.join(" and ")} is compared with what the bill calls ${theirs.join(" and ")}` : [],
    unmeasured === 0
      ? []
      : `${formatCount(unmeasured, "request")} of the ledger, of ${formatCount(reasons.unmeasured_tokens, "token")}, ${unmeasured === 1 ? "was" : "were"} not counted to the end by the upstream`,
    unanswered === 0
      ? []
      : `${formatCount(unanswered, "attempt")} broke off or took too long, and may be billed; nobody was charged for it here`,
    across === 0 ? [] : `${formatCount(across, "request")} began on one day and ended on another; here they are of the day they ended`,
    cost.drifts && /[1-9]/.test(rounded) ? `amounts on the bill are rounded, by up to ${formatUsd(rounded)} in all` : [],
  ].flat();
}

/** That they differ is what the command fails with. */
function remarksOn(report: Report): string[] {
  const { days, models, bill, is_over: isOver, agrees, threshold_percent: percent, to } = report;
  return [
    ...named("Days of the ledger that are not on the bill", days.not_on_bill),
    ...named("Days of the bill that are not in the ledger", days.not_in_ledger),
    ...named("Models of the ledger that are not on the bill", models.not_on_bill),
    ...named("Models of the bill that are not in the ledger", models.not_in_ledger),
    ...named("Models without a cost price", models.without_price),
    ...(models.without_price.length === 0 ? [] : ["Set what the provider charges for them as the cost of their routes."]),
    ...named("Columns of the bill that are not looked at", bill.ignored_columns),
    // One that was cut off at the end of a line looks whole but for this.
    `The bill has ${daysOf(bill)}.`,
    ...(isOver ? [] : [`${to} is not over: both may grow.`]),
    summarizeMoney(report),
    ...(agrees ? [`They agree, within ${percent} %.`] : []),
  ];
}

function daysOf({ from, to }: Report["bill"]): string {
  if (from === null) return "no days";
  return from === to ? `${from} alone` : `${from} to ${to}`;
}

function named(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what}: ${summarizeList(names)}.`];
}

/** What it is not known to be may be anything. */
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
  return typeof amount === "number" ? amount.toLocaleString("en-US") : amount;
}

function withSign(number: string): string {
  return /^[\d.,]*[1-9]/.test(number) ? `+${number}` : number;
}
