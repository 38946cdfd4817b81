import type { DoctorCheck, DoctorReport } from "../../platform/interface.ts";
import { count } from "../../parts/format.ts";
import { deviationInWords } from "./format-deviation.ts";
import { latency } from "./health-status.ts";

/** What the answers came to. Undefined where there were none: they have neither kept to a format nor parted from it. */
export function answersInWords({ checks, deviations, tokens }: DoctorReport): string | undefined {
  if (!checks.some(({ outcome }) => outcome === "passed" || outcome === "warned")) return undefined;
  const format =
    deviations.length === 0
      ? "The answers kept to their format."
      : `Its answers part from their format: ${deviations.map(deviationInWords).join(", ")}.`;
  return `It took ${count(tokens)} tokens. ${format}`;
}

/** What was not tried took no time. */
export function tookInWords({ outcome, duration_ms: ms }: Pick<DoctorCheck, "outcome" | "duration_ms">): string {
  return outcome === "skipped" ? "–" : latency(ms);
}
