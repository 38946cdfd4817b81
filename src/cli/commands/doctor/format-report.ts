import type { DoctorCheck, DoctorReport } from "../../../../platform-client/types.ts";
import { DEVIATIONS, type Deviation } from "../../../models/deviation.ts";
import type { Outcome } from "../../../models/doctor-report.ts";
import { formatCount, formatNumber } from "../../format/format-values.ts";
import { formatWrapped } from "../../format/table.ts";
import { wrap } from "../../format/wrap.ts";

const MARKS: Readonly<Record<Outcome, string>> = { passed: "✓", warned: "!", failed: "✗", skipped: "–" };

/** The checks of one model at one upstream. */
export function describeReport({ upstream, model, checks, deviations, tokens }: DoctorReport, width?: number): string {
  const hasAnswered = checks.some(({ outcome }) => outcome === "passed" || outcome === "warned");
  const format = hasAnswered ? describeFormat(deviations, checks) : [];
  const sum = `${sumUp(checks)}${hasAnswered ? formatTokens(tokens) : ""}.`;
  const lines = [...format, sum].flatMap((line) => wrap(line, width ?? Infinity));
  return `${model} at ${upstream}\n\n${drawTable(checks, width)}\n${lines.join("\n")}\n`;
}

/** The detail is wrapped, not truncated. */
function drawTable(checks: readonly DoctorCheck[], width: number | undefined): string {
  const times = alignRight(["MS", ...checks.map(formatMs)]);
  const heading = ["", "CHECK", "OUTCOME", times[0]!, "DETAIL"];
  const rows = checks.map(({ name, outcome, detail }, at) => [MARKS[outcome], name, outcome, times[at + 1]!, detail]);
  return formatWrapped([heading, ...rows], width);
}

/** A skipped check has no duration. */
function formatMs({ outcome, duration_ms: ms }: DoctorCheck): string {
  return outcome === "skipped" ? "-" : formatNumber(ms);
}

function alignRight(texts: readonly string[]): string[] {
  const width = Math.max(...texts.map((text) => text.length));
  return texts.map((text) => text.padStart(width));
}

/** After a failed check, the missing responses are unknown, so "no deviations" would claim too much. */
function describeFormat(deviations: readonly Deviation[], checks: readonly DoctorCheck[]): string[] {
  if (deviations.length === 0) return checks.some(({ outcome }) => outcome === "failed") ? [] : ["No format deviations."];
  const named = (handling: "mended" | "counted"): string => deviations.filter((each) => DEVIATIONS[each] === handling).join(", ");
  const mended = named("mended");
  const counted = named("counted");
  return [
    ...(mended ? [`Format deviations, mended: ${mended}.`] : []),
    ...(counted ? [`Format deviations, passed on unchanged: ${counted}.`] : []),
  ];
}

function formatTokens(tokens: number): string {
  return tokens === 0 ? "; the upstream reports no token counts" : `, in ${formatCount(tokens, "token")}`;
}

function sumUp(checks: readonly DoctorCheck[]): string {
  const outcomes = Object.keys(MARKS) as Outcome[];
  const counted = outcomes.map((outcome) => [checks.filter((check) => check.outcome === outcome).length, outcome] as const);
  return counted
    .filter(([count]) => count > 0)
    .map(([count, outcome]) => `${count} ${outcome}`)
    .join(", ");
}
