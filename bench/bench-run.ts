import { direct } from "./systems/direct.ts";
import type { System, ProgressReporter } from "./systems/system.ts";

/** The input of a scenario: the systems to measure, and how thoroughly. */
export interface BenchRun extends ProgressReporter {
  readonly systems: readonly System[];
  /** The number of valid rounds that are required. */
  readonly rounds: number;
  readonly seconds: number;
  /** A factor for the warm-up counts: 1, and less in a trial. */
  readonly scale: number;
  /** Whether rounds count although other processes used the machine. */
  readonly noise: boolean;
}

/** The relays among the systems. Without a relay between load and upstream, the scenario would measure nothing. */
export function relays({ systems }: BenchRun): readonly System[] {
  return systems.filter(({ name }) => name !== direct.name);
}
