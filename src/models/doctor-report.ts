import type { Deviation } from "./deviation.ts";

/** What the doctor looks at, in this order. */
export const DOCTOR_CHECKS = ["json", "stream", "tools", "json_schema", "usage", "cancel", "error"] as const;

/**
 * `failed`: callers would suffer. `warned`: it works, and something is not as one might expect, such as a model that calls no
 * tools. `skipped`: it could not be tried.
 */
export const OUTCOMES = ["passed", "warned", "failed", "skipped"] as const;

export type Outcome = (typeof OUTCOMES)[number];

export interface DoctorCheck {
  readonly name: (typeof DOCTOR_CHECKS)[number];
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** What was seen, in words. */
  readonly detail: string;
}

/** How one model at one upstream answers, tried live. */
export interface DoctorReport {
  readonly upstream: string;
  /** The upstream's name for it. */
  readonly model: string;
  readonly checks: readonly DoctorCheck[];
  /** The format deviations of its responses meanwhile. */
  readonly deviations: readonly Deviation[];
  /** What the calls took, as far as the upstream counted. */
  readonly tokens: number;
}
