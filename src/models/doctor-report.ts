import type { Deviation } from "./deviation.ts";

/** The doctor's checks of models of all kinds. `identity` is for upstreams that have one. */
export const DOCTOR_CHECKS = [
  "identity",
  "json",
  "stream",
  "tools",
  "json_schema",
  "embeddings",
  "order",
  "base64",
  "usage",
  "cancel",
  "error",
] as const;

/**
 * `failed`: calls would fail. `warned`: it works with a limitation, such as a model without tool
 * calls. `skipped`: the check could not run.
 */
export const OUTCOMES = ["passed", "warned", "failed", "skipped"] as const;

export type Outcome = (typeof OUTCOMES)[number];

export interface DoctorCheck {
  readonly name: (typeof DOCTOR_CHECKS)[number];
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** The finding, as text. */
  readonly detail: string;
}

/** The result of live checks of one model at one upstream. */
export interface DoctorReport {
  readonly upstream: string;
  /** The name of the upstream model. */
  readonly model: string;
  readonly checks: readonly DoctorCheck[];
  /** The format deviations of the responses during the checks. */
  readonly deviations: readonly Deviation[];
  /** The tokens used by the checks, as counted by the upstream. */
  readonly tokens: number;
}
