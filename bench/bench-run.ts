import { direct } from "./systems/direct.ts";
import type { System } from "./systems/system.ts";

/** What a scenario is told: which systems there are, and how thorough to be. */
export interface BenchRun {
  readonly systems: readonly System[];
  /** How many rounds must count. */
  readonly rounds: number;
  readonly seconds: number;
  /** Of the counts that systems are warmed up by: 1, but in a trial. */
  readonly scale: number;
  /** Whether rounds count in which others used the machine: good for trying something, never for a result. */
  readonly noise: boolean;
  /** How far it is, for whoever watches. Never a figure of the gateway: those are printed when the gate has let them pass. */
  readonly tell: (text: string) => void;
}

/** Those that relay, where nothing between load and upstream would mean nothing. */
export function relays({ systems }: BenchRun): readonly System[] {
  return systems.filter(({ name }) => name !== direct.name);
}
