import type { Measure, Measures } from "./measures.ts";
import type { BillRow } from "./bill-row.ts";
import type { ZoneDays } from "./zone-days.ts";

/** One record of a bill for a model on a day. Missing measures are 0. */
export interface BillLine {
  readonly day: string;
  /** The provider's name of the model. Other items, such as tools, are in brackets, so that they match no model. */
  readonly model: string;
  readonly measures: Measures;
  /** The maximum rounding error of the amount. */
  readonly roundedByPicos?: bigint;
}

/** A record without usage on a day. */
export interface EmptyLine {
  readonly day: string;
  readonly model?: undefined;
  readonly measures?: undefined;
}

type BillFormatName = "openai_usage" | "openai_costs" | "anthropic_usage" | "anthropic_costs" | "plain";

/** A file format of bills. */
export interface BillFormat {
  readonly name: BillFormatName;
  /** Whether a file with these columns is in this format. */
  readonly isIt: (columns: ReadonlySet<string>) => boolean;
  /** Binds the columns, or throws for a missing one. */
  readonly open: (columns: ReadonlySet<string>) => OpenFormat;
}

export interface OpenFormat {
  readonly columns: readonly string[];
  readonly read: (row: BillRow, days: ZoneDays) => BillLine | EmptyLine;
  /**
   * The measures that the file can be compared by, known after the whole file was read. Kinds of input that it does not distinguish are
   * included in its `input`.
   */
  readonly measures: () => readonly Measure[];
}

/** A parsed bill, summed by day and model. */
export interface Bill {
  readonly format: BillFormatName;
  readonly lines: number;
  readonly measures: ReadonlySet<Measure>;
  readonly ignoredColumns: readonly string[];
  /** The first and the last day of the bill, including records without usage. */
  readonly span: { readonly from: string; readonly to: string } | undefined;
  readonly models: readonly BilledModel[];
}

/** The sums of one model on one day. */
export interface BilledModel {
  readonly day: string;
  readonly model: string;
  readonly measures: Measures;
  readonly roundedByPicos: bigint;
}
