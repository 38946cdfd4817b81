import type { Measure, Measures } from "./measures.ts";
import type { BillRow } from "./bill-row.ts";
import type { ZoneDays } from "./zone-days.ts";

/** What one record of a bill says of a model on a day. What it does not say is 0. */
export interface BillLine {
  readonly day: string;
  /** As the provider calls it. What is no model, such as a tool, is in brackets, and so is like no model of ours. */
  readonly model: string;
  readonly measures: Measures;
  /** By how much the amount may be off, because the provider has rounded it. */
  readonly roundedByPicos?: bigint;
}

/** A record that says only that nothing was used on a day. */
export interface EmptyLine {
  readonly day: string;
  readonly model?: undefined;
  readonly measures?: undefined;
}

export type BillFormatName = "openai_usage" | "openai_costs" | "anthropic_usage" | "anthropic_costs" | "plain";

/** A kind of file that a provider's bill comes in. */
export interface BillFormat {
  readonly name: BillFormatName;
  /** Whether a file with these columns is meant to be one of these. */
  readonly isIt: (columns: ReadonlySet<string>) => boolean;
  /** Takes the columns to itself, or says which one is missing. */
  readonly open: (columns: ReadonlySet<string>) => OpenFormat;
}

export interface OpenFormat {
  readonly columns: readonly string[];
  readonly read: (row: BillRow, days: ZoneDays) => BillLine | EmptyLine;
  /** What the file can be compared in, asked when all of it is read. What of the input it does not tell apart is in its `input`. */
  readonly measures: () => readonly Measure[];
}

/** A bill that has been read: its lines added up by day and model. */
export interface Bill {
  readonly format: BillFormatName;
  readonly lines: number;
  readonly measures: ReadonlySet<Measure>;
  readonly ignoredColumns: readonly string[];
  /** The first and the last day it speaks of, be it to say that nothing was used. */
  readonly span: { readonly from: string; readonly to: string } | undefined;
  readonly models: readonly BilledModel[];
}

/** All that a bill has of one model on one day. */
export interface BilledModel {
  readonly day: string;
  readonly model: string;
  readonly measures: Measures;
  readonly roundedByPicos: bigint;
}
