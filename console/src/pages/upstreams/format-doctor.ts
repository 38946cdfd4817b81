import type { DoctorCheck, DoctorReport } from "../../../../platform-client/types.ts";
import { inCount } from "../../parts/format.ts";
import { formatDeviation } from "./format-deviation.ts";
import { latency } from "./health-status.ts";

/** Token usage and format deviations of the responses. Undefined where there was no response. */
export function summarizeResponses({ checks, deviations, tokens }: DoctorReport): string | undefined {
  if (!checks.some(({ outcome }) => outcome === "passed" || outcome === "warned")) return undefined;
  const format =
    deviations.length === 0 ? "All responses follow the API format." : `Format deviations: ${deviations.map(formatDeviation).join(", ")}.`;
  return `${inCount(tokens, "token")} used. ${format}`;
}

/** A skipped check has no duration. */
export function formatCheckDuration({ outcome, duration_ms: ms }: Pick<DoctorCheck, "outcome" | "duration_ms">): string {
  return outcome === "skipped" ? "–" : latency(ms);
}
