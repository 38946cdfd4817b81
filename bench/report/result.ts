/** A measured quantity. All systems were measured equally often, in the same rounds. */
export interface Figure {
  readonly id: string;
  /** Such as `CPU per request`. */
  readonly name: string;
  readonly unit: string;
  readonly samples: Readonly<Record<string, readonly number[]>>;
}

/** One variant of a scenario, such as prompts of one size. */
export interface Part {
  readonly name: string;
  readonly figures: readonly Figure[];
  /** Why rounds did not count. */
  readonly voided: readonly string[];
  /** The number of rounds that count, and the required number. With fewer rounds, the figures are not reliable. */
  readonly counted: number;
  readonly wanted: number;
  /** The median share of the machine's CPU time that other processes used, from 0 to 1, if rounds counted in spite of them. */
  readonly foreign?: number;
  /** The raw measurements of all rounds. */
  readonly rounds: readonly object[];
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** The requests and how they are sent. */
  readonly load: string;
  readonly parts: readonly Part[];
  /** Further remarks. */
  readonly notes: readonly string[];
}

/** The stored result of a scenario: what was measured, on which systems and machine, and when. */
export interface Result extends Scenario {
  readonly date: string;
  readonly commit: string;
  readonly machine: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, string>>;
  /** The configuration of each system, in a few sentences. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly leftOut: readonly string[];
  /** The checks before and during the measurement. */
  readonly gate: readonly string[];
}
