import { DEVIATIONS, type Deviation } from "../../../vocabulary/deviation.ts";
import type { Outcome } from "../../../vocabulary/doctor-report.ts";
import { formatColumns } from "../../table.ts";
import { inCount } from "../../words.ts";
import { wrap } from "../../wrap.ts";

export interface DoctorReportView {
  readonly upstream: string;
  readonly model: string;
  readonly checks: readonly DoctorCheckView[];
  readonly deviations: readonly Deviation[];
  readonly tokens: number;
}

interface DoctorCheckView {
  readonly name: string;
  readonly outcome: Outcome;
  readonly duration_ms: number;
  readonly detail: string;
}

const MARKS: Readonly<Record<Outcome, string>> = { passed: "✓", warned: "!", failed: "✗", skipped: "–" };

const LEAST_ROOM = 30;

/** The scoreboard of one model at one upstream. */
export function describeReport({ upstream, model, checks, deviations, tokens }: DoctorReportView, width = Infinity): string {
  const hasAnswered = checks.some(({ outcome }) => outcome === "passed" || outcome === "warned");
  const format = hasAnswered ? describeFormat(deviations) : "";
  return `${model} at ${upstream}\n\n${drawTable(checks, width)}\n${format}${sumUp(checks)}, in ${inCount(tokens, "token")}.\n`;
}

/** What was seen is the point of it all: where the terminal ends it goes on under itself, and is not cut. */
function drawTable(checks: readonly DoctorCheckView[], width: number): string {
  const times = alignRight(["MS", ...checks.map(({ duration_ms: ms }) => ms.toLocaleString("en-US"))]);
  const names = [["", "CHECK", "OUTCOME"], ...checks.map(({ name, outcome }) => [MARKS[outcome], name, outcome])];
  const heads = names.map((cells, at) => [...cells, times[at]!]);
  const room = Math.max(LEAST_ROOM, width - formatColumns(heads).indexOf("\n") - 2);
  const seen = ["WHAT WAS SEEN", ...checks.map(({ detail }) => detail)].map((words) => wrap(words, room));
  return formatColumns(heads.flatMap((head, at) => seen[at]!.map((line, of) => [...(of === 0 ? head : head.map(() => "")), line])));
}

function alignRight(texts: readonly string[]): string[] {
  const width = Math.max(...texts.map((text) => text.length));
  return texts.map((text) => text.padStart(width));
}

function describeFormat(deviations: readonly Deviation[]): string {
  if (deviations.length === 0) return "Its answers kept to the format.\n";
  const named = (handling: "mended" | "counted"): string => deviations.filter((each) => DEVIATIONS[each] === handling).join(", ");
  const mended = named("mended");
  const counted = named("counted");
  return `${mended && `Mended on the way: ${mended}.\n`}${counted && `Passed on as it came: ${counted}.\n`}`;
}

function sumUp(checks: readonly DoctorCheckView[]): string {
  const outcomes = Object.keys(MARKS) as Outcome[];
  const counted = outcomes.map((outcome) => [checks.filter((check) => check.outcome === outcome).length, outcome] as const);
  return counted
    .filter(([count]) => count > 0)
    .map(([count, outcome]) => `${count} ${outcome}`)
    .join(", ");
}
