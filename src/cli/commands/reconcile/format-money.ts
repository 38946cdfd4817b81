import type { NotCompared, ReconciledMoney, Reconciliation } from "../../../../platform-client/types.ts";
import { formatTable, type Column } from "../../format/table.ts";
import { formatCount, formatUsd } from "../../format/format-values.ts";

const REASONS: Readonly<Record<NotCompared["reason"], string>> = {
  outside_range: "outside the compared days",
  not_in_ledger: "not in the ledger",
  not_on_bill: "not on the bill",
  no_cost_price: "no cost price",
  no_model_name: "upstream model was not recorded",
};

const MEASURES = ["requests", "input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "cost"] as const;

const COLUMNS: readonly Column<NotCompared>[] = [
  { heading: "DAY", cell: ({ day }) => day },
  { heading: "MODEL", cell: ({ model }) => model ?? "(name not recorded)", isLong: true },
  { heading: "BILL", cell: ({ bill }) => bill ?? "", align: "point" },
  { heading: "LEDGER", cell: ({ ledger, reason }) => ledger ?? (reason === "outside_range" ? "" : "?"), align: "point" },
  { heading: "REASON", cell: ({ reason }) => REASONS[reason], isLong: "least" },
];

/** The amounts that were not compared, each with its reason; empty if there are none. */
export function formatNotCompared({ not_compared: lines }: Reconciliation, width: number | undefined): string {
  return lines.length === 0 ? "" : `\nNot compared:\n${formatTable(COLUMNS, lines, width)}`;
}

/** The bill's amounts: agreed, differing, not compared. */
export function summarizeMoney({ money }: Reconciliation): string {
  if (!money) return "The bill has no amounts: only tokens were compared.";
  const parts = [
    `${formatUsd(money.agreed)} agreed`,
    `${formatUsd(money.differing)} differing`,
    `${formatUsd(money.not_compared)} not compared`,
  ];
  return `Of ${formatUsd(money.bill)} on the bill: ${parts.join(", ")}.`;
}

/** Why the bill and the ledger do not agree; undefined if they do. */
export function verdictOn({ agrees, rows, money, not_compared: left, threshold_percent: percent }: Reconciliation): string | undefined {
  if (agrees) return undefined;
  const doDiffer = rows.some((row) => MEASURES.some((measure) => row[measure].drifts));
  return [
    doDiffer ? `the bill and the ledger differ by more than ${percent} %` : [],
    left.length === 0 ? [] : `${subjectOf(left, money)} could not be compared`,
  ]
    .flat()
    .join("; ");
}

function subjectOf(left: readonly NotCompared[], money: ReconciledMoney | null): string {
  return money && /[1-9]/.test(money.not_compared) ? `${formatUsd(money.not_compared)} of the bill` : formatCount(left.length, "line");
}
