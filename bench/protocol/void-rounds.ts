import { median } from "./statistics.ts";
import type { Visit } from "./visit.ts";

/** One visit of every system in random order, with the reference first and last. */
export interface Round {
  readonly visits: readonly Visit[];
}

/** The allowed deviation of the reference from its own median. */
const REFERENCE_OFF = 0.15;
const FOREIGN_SHARE = 0.2;

/**
 * For each round the reason why it does not count, or null if it counts. A deviating reference means that the machine was disturbed. With
 * `noise`, only wrong responses make a round invalid.
 */
export function voidReasons(rounds: readonly Round[], reference: string, noise = false): (string | null)[] {
  const usual = median(rounds.flatMap(({ visits }) => visits.filter(({ system }) => system === reference)).map(({ cpuUs }) => cpuUs!));
  return rounds.map(({ visits }) => {
    for (const { system, wrong, foreign, flaw, cpuUs } of visits) {
      if (wrong > 0) return `${wrong} wrong answers of ${system}`;
      if (noise) continue;
      if (flaw !== null) return flaw;
      if (foreign > FOREIGN_SHARE) return `${percent(foreign)} of the machine was busy with other things`;
      const off = system === reference ? Math.abs(cpuUs! / usual - 1) : 0;
      if (off > REFERENCE_OFF) return `${reference} was ${percent(off)} off its median`;
    }
    return null;
  });
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
