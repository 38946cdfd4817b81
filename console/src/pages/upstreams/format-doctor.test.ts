import { expect, test } from "bun:test";
import type { DoctorCheck, DoctorReport } from "../../../../platform-client/types.ts";
import { summarizeResponses, formatCheckDuration } from "./format-doctor.ts";

function report(outcomes: readonly DoctorCheck["outcome"][], more: Partial<DoctorReport> = {}): DoctorReport {
  const checks = outcomes.map((outcome): DoctorCheck => ({ name: "json", outcome, duration_ms: 0, detail: "seen" }));
  return { upstream: "u", model: "m", checks, deviations: [], tokens: 1234, ...more };
}

test("summarizes responses only where there are any", () => {
  expect(summarizeResponses(report(["failed", "failed", "skipped"]))).toBeUndefined();
  expect(summarizeResponses(report(["passed", "warned"]))).toBe("1,234 tokens used. All responses follow the API format.");
  expect(summarizeResponses(report(["passed"], { deviations: ["role_repeated"] }))).toStartWith("1,234 tokens used. Format deviations: ");
});

test("does not claim that all responses follow the format after a failed check", () => {
  expect(summarizeResponses(report(["failed", "failed", "failed", "failed", "failed", "passed"]))).toBe("1,234 tokens used.");
  expect(summarizeResponses(report(["failed", "passed"], { deviations: ["role_repeated"] }))).toContain("Format deviations: ");
});

test("formats no duration for a skipped check", () => {
  const times = [
    { outcome: "skipped", duration_ms: 0 },
    { outcome: "passed", duration_ms: 0 },
    { outcome: "failed", duration_ms: 612 },
  ] as const;
  expect(times.map(formatCheckDuration)).toEqual(["–", "<1 ms", "612 ms"]);
});
