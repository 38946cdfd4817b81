import type { Measure } from "./measures.ts";
import type { NameGroup } from "./model-names.ts";

export interface ReportRow {
  readonly day: string;
  /** Undefined for answers from before the provider's names of models were written down. */
  readonly names: NameGroup | undefined;
  readonly cells: Cells;
  /** Whether its money was compared: both sides have it, and the ledger's cost is known. */
  readonly isCompared: boolean;
  readonly reasoningTokens: number;
  readonly drifts: boolean;
  readonly reasons: Reasons;
}

export type Cells = Readonly<Record<Measure, Cell>>;

/** Counts, or pico-dollars. A side that does not know is undefined, and then there is no difference. */
export interface Cell {
  readonly ledger: bigint | undefined;
  readonly bill: bigint | undefined;
  readonly drifts: boolean;
}

/** What is known that can make the two differ, without either being wrong. */
export interface Reasons {
  readonly unmeasuredRequests: number;
  readonly unmeasuredTokens: number;
  readonly unansweredAttempts: number;
  /** Requests that began on one day and ended on another: here they are where they ended. */
  readonly acrossMidnight: number;
  readonly roundedByPicos: bigint;
}

export function differenceIn({ ledger, bill }: Cell): bigint | undefined {
  return ledger === undefined || bill === undefined ? undefined : bill - ledger;
}

/** Of what the ledger has, to the hundredth of a percent, half of one away from zero; undefined where that is nothing. */
export function percentIn(cell: Cell): number | undefined {
  const difference = differenceIn(cell);
  if (difference === undefined || (cell.ledger === 0n && difference !== 0n)) return undefined;
  if (difference === 0n) return 0;
  const size = difference < 0n ? -difference : difference;
  const hundredths = Number((size * 20_000n + cell.ledger!) / (2n * cell.ledger!));
  return (difference < 0n ? -hundredths : hundredths) / 100;
}
