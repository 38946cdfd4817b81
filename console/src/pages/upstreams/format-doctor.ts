import type { DoctorCheck, DoctorReport } from "../../../../platform-client/types.ts";
import { inCount } from "../../parts/format/format.ts";
import { formatDeviation } from "./format-deviation.ts";
import { latency } from "./health-status.ts";

/**
 * Token usage and format deviations of the responses. Undefined if there was no response. After a failed check some responses are missing,
 * so that "no deviations" would claim too much.
 */
export function summarizeResponses({ checks, deviations, tokens }: DoctorReport): string | undefined {
  const has = (...outcomes: DoctorCheck["outcome"][]): boolean => checks.some(({ outcome }) => outcomes.includes(outcome));
  if (!has("passed", "warned")) return undefined;
  const used = `${inCount(tokens, "token")} used.`;
  if (deviations.length > 0) return `${used} Format deviations: ${deviations.map(formatDeviation).join(", ")}.`;
  return has("failed") ? used : `${used} All responses follow the API format.`;
}

/** A skipped check has no duration. */
export function formatCheckDuration({ outcome, duration_ms: ms }: Pick<DoctorCheck, "outcome" | "duration_ms">): string {
  return outcome === "skipped" ? "–" : latency(ms);
}
