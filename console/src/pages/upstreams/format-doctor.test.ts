import { expect, test } from "bun:test";
import type { DoctorCheck, DoctorReport } from "../../platform/interface.ts";
import { answersInWords, tookInWords } from "./format-doctor.ts";

function report(outcomes: readonly DoctorCheck["outcome"][], more: Partial<DoctorReport> = {}): DoctorReport {
  const checks = outcomes.map((outcome): DoctorCheck => ({ name: "json", outcome, duration_ms: 0, detail: "seen" }));
  return { upstream: "u", model: "m", checks, deviations: [], tokens: 1234, ...more };
}

test("nothing is said of answers where there was none", () => {
  expect(answersInWords(report(["failed", "failed", "skipped"]))).toBeUndefined();
  expect(answersInWords(report(["failed", "warned"]))).toBe("It took 1,234 tokens. The answers kept to their format.");
  expect(answersInWords(report(["passed"], { deviations: ["role_repeated"] }))).toStartWith(
    "It took 1,234 tokens. Its answers part from their format: ",
  );
});

test("what was not tried has no time", () => {
  const times = [
    { outcome: "skipped", duration_ms: 0 },
    { outcome: "passed", duration_ms: 0 },
    { outcome: "failed", duration_ms: 612 },
  ] as const;
  expect(times.map(tookInWords)).toEqual(["–", "<1 ms", "612 ms"]);
});
