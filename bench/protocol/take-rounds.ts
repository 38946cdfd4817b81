import { shuffled } from "./shuffled.ts";
import type { Visit } from "./visit.ts";
import { voidReasons, type Round } from "./void-rounds.ts";

export interface Rounds {
  /** The rounds that count. */
  readonly valid: readonly Round[];
  readonly void: readonly { readonly round: Round; readonly reason: string }[];
}

export interface RoundPlan {
  readonly systems: readonly string[];
  readonly reference: string;
  readonly wanted: number;
  readonly noise: boolean;
  readonly visit: (system: string) => Promise<Visit>;
  /** Called after each round. */
  readonly reportProgress: (text: string) => void;
}

/** Runs rounds until enough of them count, or until twice as many were run, because a busy machine may never be quiet. */
export async function takeRounds({ systems, reference, wanted, noise, visit, reportProgress }: RoundPlan): Promise<Rounds> {
  const rounds: Round[] = [];
  let reasons: (string | null)[] = [];
  while (reasons.filter((reason) => reason === null).length < wanted && rounds.length < 2 * wanted) {
    const visits: Visit[] = [];
    for (const name of orderOf(systems, reference)) visits.push(await visit(name));
    rounds.push({ visits });
    reasons = voidReasons(rounds, reference, noise);
    reportProgress(`round ${rounds.length}: ${reasons.at(-1) ?? visits.map(shortly).join(", ")}`);
  }
  return {
    valid: rounds.filter((_, at) => reasons[at] === null),
    void: rounds.flatMap((round, at) => (reasons[at] === null ? [] : [{ round, reason: reasons[at]! }])),
  };
}

function orderOf(systems: readonly string[], reference: string): string[] {
  const others = systems.filter((name) => name !== reference);
  return [reference, ...shuffled(others), reference];
}

function shortly({ system, cpuUs }: Visit): string {
  return `${system} ${cpuUs === null ? "-" : cpuUs.toFixed(1)}`;
}
