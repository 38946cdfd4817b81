/** The text format of Prometheus, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */
import { TimeSlicer } from "../../lib/async/time-slicer.ts";

/** A sample of a metric. */
export interface Sample {
  readonly suffix: "" | "_bucket" | "_sum" | "_count";
  /** The labels as written by `writeLabels`. */
  readonly labels: string;
  readonly value: number;
}

/** The text of a metric. */
export interface WrittenFamily {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** The samples of one step are consistent: nothing is counted while the step runs. */
  samples(): Iterable<readonly Sample[]>;
}

export interface Family extends WrittenFamily {
  /**
   * The same values as plain numbers, from which the values of several processes are summed. Omits values that are unchanged from `known` (by
   * labels): most values do not change within a second.
   */
  cells(known?: ReadonlyMap<string, Cell>): Iterable<Cell>;
}

/** The labels as written by `writeLabels`, and the value; for a histogram, the non-cumulative count of each bucket, and the sum. */
export type Cell = readonly [labels: string, ...numbers: number[]];

/** Writes all metrics in slices: with a thousand models, all at once would delay requests for long. Metrics without samples are omitted. */
export async function writeExposition(families: readonly WrittenFamily[]): Promise<string> {
  const pieces: string[] = [];
  const slicer = new TimeSlicer();
  for (const family of families) {
    const { name } = family;
    let head = `# HELP ${name} ${escapeHelp(family.help)}\n# TYPE ${name} ${family.type}\n`;
    for (const step of family.samples()) {
      let text = head;
      head = "";
      for (const { suffix, labels, value } of step) text += `${name}${suffix}${labels === "" ? "" : `{${labels}}`} ${writeValue(value)}\n`;
      pieces.push(text);
      if (slicer.isDueAfterStep()) await slicer.yield();
    }
  }
  return pieces.join("");
}

/** `model="gpt-5",status="200"` */
export function writeLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(",");
}

/** A number in Go's notation. */
export function writeValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
