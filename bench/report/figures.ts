import { spreadOf, type Spread } from "../protocol/statistics.ts";
import type { Round } from "../protocol/void-rounds.ts";
import type { Visit } from "../protocol/visit.ts";
import type { Figure } from "./result.ts";

/** One value for each system and round: the mean, if a round visited the system twice. */
export function figureOf(
  rounds: readonly Round[],
  { id, name, unit }: Omit<Figure, "samples">,
  valueOf: (visit: Visit) => number | null | undefined,
): Figure {
  const samples: Record<string, number[]> = {};
  for (const { visits } of rounds) {
    for (const [system, values] of Map.groupBy(visits, (visit) => visit.system)) {
      const known = values.map(valueOf).filter((value) => value !== null && value !== undefined);
      if (known.length > 0) (samples[system] ??= []).push(known.reduce((sum, value) => sum + value, 0) / known.length);
    }
  }
  return { id, name, unit, samples };
}

export function spread(figure: Figure, system: string): Spread | null {
  const values = figure.samples[system];
  return values && values.length > 0 ? spreadOf(values) : null;
}

/** The spread of the ratios of two systems, each within one round. */
export function ratio(figure: Figure, system: string, to: string): Spread | null {
  const [values, others] = [figure.samples[system], figure.samples[to]];
  if (!values || !others || values.length === 0 || values.length !== others.length) return null;
  return spreadOf(values.map((value, at) => value / others[at]!));
}
