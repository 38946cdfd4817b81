/** A quantity that was measured of several systems, the same number of times each, in the same rounds. */
export interface Figure {
  readonly id: string;
  /** Such as `CPU per request`. */
  readonly name: string;
  readonly unit: string;
  readonly samples: Readonly<Record<string, readonly number[]>>;
}

/** What a scenario does once, such as with prompts of one size. */
export interface Part {
  readonly name: string;
  readonly figures: readonly Figure[];
  /** Why rounds did not count. */
  readonly voided: readonly string[];
  /** How many rounds count, and how many should. Where fewer do, the figures cannot be relied on. */
  readonly counted: number;
  readonly wanted: number;
  /** The share of the machine that other processes used, from 0 to 1: the median, where rounds count in spite of them. */
  readonly foreign?: number;
  /** Everything, as it was measured. */
  readonly rounds: readonly object[];
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** What is asked, and how. */
  readonly load: string;
  readonly parts: readonly Part[];
  /** What else there is to say about it. */
  readonly notes: readonly string[];
}

/** What is kept of a scenario: enough to know what was measured, of what, where and when. */
export interface Result extends Scenario {
  readonly date: string;
  readonly commit: string;
  readonly machine: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, string>>;
  /** The configuration of each system, in a few sentences. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly leftOut: readonly string[];
  /** What was checked before and while it was measured. */
  readonly gate: readonly string[];
}
