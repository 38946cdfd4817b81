import type { Measure } from "./measures.ts";
import type { NameGroup } from "./model-names.ts";

export interface ReportRow {
  readonly day: string;
  /** Undefined for responses from before the provider's model names were recorded. */
  readonly names: NameGroup | undefined;
  readonly cells: Cells;
  /** Whether its amounts were compared: both sides have it, and the ledger's cost is known. */
  readonly isCompared: boolean;
  readonly reasoningTokens: number;
  readonly drifts: boolean;
  readonly reasons: Reasons;
}

export type Cells = Readonly<Record<Measure, Cell>>;

/** Counts, or pico-dollars. If one side is unknown, it is undefined, and so is the difference. */
export interface Cell {
  readonly ledger: bigint | undefined;
  readonly bill: bigint | undefined;
  readonly drifts: boolean;
}

/** Possible reasons for a difference without an error on either side. */
interface Reasons {
  readonly unmeasuredRequests: number;
  readonly unmeasuredTokens: number;
  readonly unansweredAttempts: number;
  /** Requests that started on one day and ended on another: the ledger counts them on the day on which they ended. */
  readonly acrossMidnight: number;
  readonly roundedByPicos: bigint;
}

export function differenceIn({ ledger, bill }: Cell): bigint | undefined {
  return ledger === undefined || bill === undefined ? undefined : bill - ledger;
}

/** The percentage of the ledger's value, to two decimals, rounded half away from zero; undefined if that value is zero. */
export function percentIn(cell: Cell): number | undefined {
  const difference = differenceIn(cell);
  if (difference === undefined || (cell.ledger === 0n && difference !== 0n)) return undefined;
  if (difference === 0n) return 0;
  const size = difference < 0n ? -difference : difference;
  const hundredths = Number((size * 20_000n + cell.ledger!) / (2n * cell.ledger!));
  return (difference < 0n ? -hundredths : hundredths) / 100;
}
