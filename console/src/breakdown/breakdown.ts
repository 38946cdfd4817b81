import { money, compactCount, count } from "../parts/format/format.ts";
import type { MarginRow, UsageRow } from "../../../platform-client/types.ts";
import { axisDollars } from "./format-axis.ts";

/** What a chart shows, and how it is stacked, in the URL. */
export interface BreakdownSearch {
  readonly measure?: string;
  readonly by?: string;
  /** The name of the tag, if the chart is stacked by tag. */
  readonly tag?: string;
  /** `off` hides the previous period. */
  readonly compare?: string;
  /** `on` for running totals. */
  readonly cumulative?: string;
  /** The measure of the heat map. */
  readonly heat?: string;
}

export const BREAKDOWN_SEARCH = ["measure", "by", "tag", "compare", "cumulative", "heat"] as const;

type MeasureId = "cost" | "requests" | "tokens" | "failed" | "margin";

/** A measure of the charts. Money also has its exact decimal text, for the CSV download. */
export interface Measure {
  readonly id: MeasureId;
  /** The title of the chart. */
  readonly label: string;
  readonly isMoney: boolean;
  readonly format: (value: number) => string;
  readonly formatAxis: (value: number) => string;
  readonly note?: string;
}

const MONEY = { isMoney: true, format: (value: number): string => money(String(value)), formatAxis: axisDollars } as const;
const COUNT = { isMoney: false, format: count, formatAxis: compactCount } as const;

export const MEASURES: readonly Measure[] = [
  { id: "cost", label: "Spend", ...MONEY },
  { id: "requests", label: "Admitted requests", ...COUNT, note: "Without rejected requests." },
  { id: "tokens", label: "Input and output tokens", ...COUNT },
  { id: "failed", label: "Failed requests", ...COUNT, note: "Without rejected requests." },
  { id: "margin", label: "Margin", ...MONEY, note: "Of requests whose upstream cost is known." },
];

/** The value of a row; exact decimal text for money. */
export function valueIn(row: Partial<UsageRow & MarginRow> | undefined, { id }: Measure): string | number {
  switch (id) {
    case "cost":
      return row?.cost ?? "0.00";
    case "margin":
      return row?.margin ?? "0.00";
    case "requests":
      return (row?.requests ?? 0) + (row?.failed ?? 0);
    case "tokens":
      return (row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0);
    case "failed":
      return row?.failed ?? 0;
  }
}

export const DIMENSIONS = [
  { id: "model", label: "By model" },
  { id: "key", label: "By key" },
  { id: "account", label: "By account" },
  { id: "upstream", label: "By upstream" },
  { id: "endpoint", label: "By endpoint" },
  { id: "user", label: "By end user" },
  { id: "tag", label: "By tag" },
] as const;
export type DimensionId = (typeof DIMENSIONS)[number]["id"];

/** A chart without a breakdown. */
export const TOTAL = "total";

export interface Breakdown {
  readonly measure: Measure;
  readonly by: DimensionId | typeof TOTAL;
  readonly tag: string;
  readonly isCompared: boolean;
  readonly isCumulative: boolean;
}

interface OfferedBreakdown {
  readonly dimensions: readonly DimensionId[];
  /** Whether the person is an operator, who sees upstreams and margins. */
  readonly isOperator: boolean;
  readonly tag?: string | undefined;
}

/** The dimensions that the page has and the person may see. */
export function offered({ dimensions, isOperator }: OfferedBreakdown): readonly { readonly id: DimensionId; readonly label: string }[] {
  return DIMENSIONS.filter(({ id }) => dimensions.includes(id) && (isOperator || (id !== "upstream" && id !== "account")));
}

export function readBreakdown(search: BreakdownSearch, of: OfferedBreakdown): Breakdown {
  const measures = MEASURES.filter(({ id }) => of.isOperator || id !== "margin");
  const choices = offered(of);
  const by = search.by === TOTAL ? TOTAL : (choices.find(({ id }) => id === search.by) ?? choices[0]!).id;
  return {
    measure: measures.find(({ id }) => id === search.measure) ?? measures[0]!,
    by,
    tag: search.tag ?? of.tag ?? "team",
    isCompared: search.compare !== "off",
    isCumulative: search.cumulative === "on",
  };
}
