import { direct } from "./systems/direct.ts";
import type { System, ProgressReporter } from "./systems/system.ts";

/** What a scenario is told: which systems there are, and how thorough to be. */
export interface BenchRun extends ProgressReporter {
  readonly systems: readonly System[];
  /** How many rounds must count. */
  readonly rounds: number;
  readonly seconds: number;
  /** Of the counts that systems are warmed up by: 1, but in a trial. */
  readonly scale: number;
  /** Whether rounds count in which other processes used the machine. */
  readonly noise: boolean;
}

/** Those that relay, where nothing between load and upstream would mean nothing. */
export function relays({ systems }: BenchRun): readonly System[] {
  return systems.filter(({ name }) => name !== direct.name);
}
