import { ratio, spread } from "./report/figures.ts";
import type { Scenario } from "./report/result.ts";
import type { Spread } from "./protocol/statistics.ts";

/** A goal for Tollgate. With `to` it is a ratio to another system in the same round. */
export interface Goal {
  readonly scenario: string;
  readonly part: string;
  readonly figure: string;
  readonly says: string;
  readonly to?: string;
  /** The maximum. */
  readonly most: number;
  /** Formats `most` and the measured value. */
  readonly write: (value: number) => string;
}

const times = (value: number): string => `${value.toFixed(2)}×`;
const timesBetter = (value: number): string => `${(1 / value).toFixed(1)}× less`;
const us = (value: number): string => `${Math.round(value).toLocaleString("en-US")} µs`;
const ms = (value: number): string => `${value.toFixed(0)} ms`;
const kb = (value: number): string => `${value.toFixed(1)} KB`;
const mib = (value: number): string => `${value.toFixed(0)} MiB`;
const perMinute = (value: number): string => `${value.toFixed(2)} MiB/min`;

/**
 * The goal is to avoid growth. This limit is 1.5 MiB over the quarter of an hour that the line is fitted to: uncollected garbage varies by more
 * than that.
 */
const NEXT_TO_NONE = 0.1;
const ONE = "one connection";
const REST = "memory";

export const GOALS: readonly Goal[] = [
  { scenario: "S1", part: "small JSON", figure: "cpu", says: "CPU per request, to nginx", to: "nginx", most: 4, write: times },
  {
    scenario: "S1",
    part: "small JSON",
    figure: "cpu",
    says: "CPU per request, to Portkey",
    to: "portkey",
    most: 1 / 15,
    write: timesBetter,
  },
  { scenario: "S2", part: ONE, figure: "p50Us", says: "added latency p50", most: 150, write: us },
  { scenario: "S2", part: ONE, figure: "p99Us", says: "added latency p99", most: 400, write: us },
  { scenario: "S3", part: "100 KB", figure: "cpu", says: "CPU per request of 100 KB, to nginx", to: "nginx", most: 4, write: times },
  { scenario: "S5", part: "60 streams", figure: "cpu", says: "CPU per chunk, to nginx", to: "nginx", most: 2, write: times },
  { scenario: "S6", part: "one at a time", figure: "p50Us", says: "added time to first token p50", most: 300, write: us },
  { scenario: "S7", part: "5000 streams", figure: "kb", says: "memory per idle stream", most: 25, write: kb },
  { scenario: "S9", part: "to the first answer", figure: "ms", says: "cold start to the first answer", most: 200, write: ms },
  { scenario: "S10", part: REST, figure: "rest", says: "memory at rest", most: 50, write: mib },
  { scenario: "S10", part: REST, figure: "load", says: "memory under load", most: 100, write: mib },
  { scenario: "S10b", part: REST, figure: "growth", says: "growth under load", most: NEXT_TO_NONE, write: perMinute },
  {
    scenario: "S11",
    part: "the whole list",
    figure: "cpu",
    says: "CPU per list of 300 models, to nginx",
    to: "nginx",
    most: 2,
    write: times,
  },
  { scenario: "S12", part: "small JSON", figure: "cpu", says: "CPU per request by TLS, to nginx", to: "nginx", most: 1.3, write: times },
];

export interface Outcome {
  readonly goal: Goal;
  /** Null if it was not measured. */
  readonly measured: Spread | null;
  readonly verdict: "yes" | "yes, within the spread" | "no" | "too few rounds counted" | "not measured";
}

export function outcomes(scenarios: readonly Scenario[]): Outcome[] {
  return GOALS.map((goal) => {
    const part = scenarios.find(({ id }) => id === goal.scenario)?.parts.find(({ name }) => name === goal.part);
    const figure = part?.figures.find(({ id }) => id === goal.figure);
    const measured = figure ? (goal.to ? ratio(figure, "tollgate", goal.to) : spread(figure, "tollgate")) : null;
    return { goal, measured, verdict: part && part.counted < part.wanted ? "too few rounds counted" : verdictOn(measured, goal.most) };
  });
}

/** A goal is certainly reached if the whole confidence interval is below it. A single measurement has no interval. */
function verdictOn(measured: Spread | null, most: number): Outcome["verdict"] {
  if (measured === null) return "not measured";
  if (measured.ciHigh <= most) return "yes";
  return measured.median <= most ? "yes, within the spread" : "no";
}
