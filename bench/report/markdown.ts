import { outcomes } from "../goals.ts";
import { isTollgateName } from "../systems/system.ts";
import { figures } from "./bar-picture.ts";
import { MIN_SAMPLES, type Spread } from "../protocol/statistics.ts";
import { ratio, spread } from "./figures.ts";
import type { Figure, Part, Result } from "./result.ts";

/** Writes bench/RESULTS.md, in which nothing is written by hand. */
export function resultsPage(results: readonly Result[], pictures: readonly { file: string; title: string }[]): string {
  return (
    [
      "# Results",
      `Written by \`npm run bench\` from the files in [results](results). [How it is measured](README.md).\n\n${measuredOn(results)}`,
      "## Goals",
      goalTable(results),
      ...pictures.map(({ file, title }) => `![${title}](results/${file})`),
      ...results.map(scenarioSection),
      "## What was checked",
      "Each run begins with checks. The last one saw:",
      (newestLast(results).at(-1)?.gate ?? []).map((line) => `- ${line}`).join("\n"),
      "## What is left out",
      leftOut(results),
      "## Systems",
      systemsTable(results),
      "## The machine",
      ...machineTables(results),
      "",
    ]
      .join("\n\n")
      .trimEnd() + "\n"
  );
}

function newestLast(results: readonly Result[]): Result[] {
  return results.toSorted((a, b) => a.date.localeCompare(b.date));
}

function measuredOn(results: readonly Result[]): string {
  const when = [...Map.groupBy(results, ({ commit, date }) => `${commit} on ${date.slice(0, 10)}`)];
  if (when.length === 0) return "Nothing is measured yet.";
  if (when.length === 1) return `Measured of commit ${when[0]![0]}.`;
  return `Measured of ${when.map(([commit, of]) => `commit ${commit} (${of.map(({ id }) => id).join(", ")})`).join("; ")}.`;
}

function goalTable(results: readonly Result[]): string {
  const rows = outcomes(results).map(({ goal, measured, verdict }) => {
    const found = measured ? `${goal.write(measured.median)} (${certainty(measured, goal.write)})` : "–";
    return [goal.scenario, goal.says, `≤ ${goal.write(goal.most)}`.replace(/≤ (.*) less$/, "≥ $1 less"), found, verdict];
  });
  return table(["", "what", "goal", "measured", "reached"], rows);
}

function certainty({ count, ciLow, ciHigh }: Spread, write: (value: number) => string): string {
  if (count === 1) return "once";
  const bounds = `${write(ciLow)} to ${write(ciHigh)}`;
  return count < MIN_SAMPLES ? `${bounds} in ${count}` : `95 %: ${bounds}`;
}

function scenarioSection({ id, title, load, parts, notes }: Result): string {
  return [`## ${id}: ${title}`, load, ...parts.flatMap((part) => partSection(part, parts.length > 1)), ...notes].join("\n\n");
}

function partSection(part: Part, named: boolean): string[] {
  const { name, figures: list, counted, voided, wanted } = part;
  const systems = [...new Set(list.flatMap(({ samples }) => Object.keys(samples)))].toSorted((a, b) => orderOf(part, a) - orderOf(part, b));
  const head = ["", ...list.map(({ name: figure, unit }) => (unit ? `${figure}, ${unit}` : figure))];
  const rows = systems.map((system) => [isTollgateName(system) ? `**${system}**` : system, ...list.map((figure) => cell(figure, system))]);
  const few = counted < wanted ? ` ${wanted} were wanted: the figures cannot be relied on.` : "";
  const about = voided.length > 0 ? [`${counted} rounds counted, ${voided.length} were void: ${reasons(voided)}.${few}`] : [];
  return [...(named ? [`### ${name}`] : []), table(head, rows), ...about, ...sharedWith(part)];
}

function sharedWith({ foreign, counted }: Part): string[] {
  if (foreign === undefined) return [];
  const share = `${Math.round(foreign * 100)} %`;
  return [
    `Measured on a shared machine: other processes used ${share} of its cores at the same time (median of ${counted} rounds). CPU time and its ratios are indicative; rates and latencies were measured on a busy machine.`,
  ];
}

function orderOf({ figures: [first] }: Part, system: string): number {
  return (first && spread(first, system)?.median) ?? Number.NEGATIVE_INFINITY;
}

function cell(figure: Figure, system: string): string {
  const found = spread(figure, system);
  if (!found) return "–";
  const times = figure.id === "cpu" && system !== "nginx" ? ratio(figure, system, "nginx") : null;
  const middle = found.count > 1 ? ` (${figures(found.low)}–${figures(found.high)})` : "";
  const toNginx = times ? `, ${times.median.toFixed(2)}× nginx (${times.ciLow.toFixed(2)}–${times.ciHigh.toFixed(2)})` : "";
  return `${figures(found.median)}${middle}${toNginx}`;
}

/** The kinds of reasons, without their figures. */
function reasons(voided: readonly string[]): string {
  const kinds = Map.groupBy(voided, (reason) => reason.replaceAll(/\d+ %/g, "…").replaceAll(/\d+/g, "…"));
  return [...kinds].map(([, list]) => `${list.length} × ${list[0]}`).join(", ");
}

function leftOut(results: readonly Result[]): string {
  const lines = Map.groupBy(
    results.flatMap((result) => result.leftOut.map((line) => ({ line, id: result.id }))),
    ({ line }) => line,
  );
  return lines.size === 0 ? "Nothing." : [...lines].map(([line, of]) => `- ${line} (${of.map(({ id }) => id).join(", ")})`).join("\n");
}

/** Versions and configurations, each from the newest result that has it. */
function systemsTable(results: readonly Result[]): string {
  const inOrder = newestLast(results);
  const versions = Object.assign({}, ...inOrder.map((result) => result.versions)) as Record<string, string>;
  const settings = Object.assign({}, ...inOrder.map((result) => result.settings)) as Record<string, string>;
  const rows = Object.keys(versions).map((name) => [name, versions[name]!, settings[name] ?? ""]);
  return table(
    ["", "version", "configuration"],
    rows.filter(([, version]) => version !== ""),
  );
}

/** A table for each machine with measurements. */
function machineTables(results: readonly Result[]): string[] {
  const machines = [...Map.groupBy(newestLast(results), ({ machine }) => machine["CPU"])].map(([, of]) => of);
  return machines.flatMap((of) => {
    const ids = of.map(({ id }) => id).toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const facts = Object.entries(of.at(-1)!.machine).filter(([, value]) => value !== "");
    return [...(machines.length > 1 ? [`${ids.join(", ")}:`] : []), table(["", ""], facts)];
  });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [tableLine(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(tableLine)].join("\n");
}

function tableLine(row: readonly string[]): string {
  return `| ${row.join(" | ")} |`;
}
