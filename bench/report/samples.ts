import type { Figure, Part } from "./result.ts";

/** A single measurement of a system, in scenarios without rounds. */
export interface Sample {
  readonly system: string;
  readonly values: Readonly<Record<string, number>>;
}

export function figureFrom(list: readonly Sample[], id: string, name: string, unit: string): Figure {
  const samples: Record<string, number[]> = {};
  for (const { system, values } of list) {
    const value = values[id];
    if (value !== undefined) (samples[system] ??= []).push(value);
  }
  return { id, name, unit, samples };
}

export function partFrom(name: string, wanted: number, samples: readonly Sample[], figures: readonly Figure[]): Part {
  return { name, counted: wanted, wanted, voided: [], rounds: samples, figures };
}
