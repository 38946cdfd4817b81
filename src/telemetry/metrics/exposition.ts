/** The text format of Prometheus, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */

/** A sample of a metric. */
export interface Sample {
  readonly suffix: "" | "_bucket" | "_sum" | "_count";
  /** As written by `writeLabels`. */
  readonly labels: string;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Samples of one step are consistent: nothing is counted in between. */
  samples(): Iterable<readonly Sample[]>;
}

/** The time limit of a slice. With a thousand models the whole text would delay requests for much longer. */
const SLICE_MS = 4;
const STEPS_BETWEEN_LOOKS = 64;

/** Writes all metrics in slices, between which requests are served. Metrics without samples are omitted. */
export async function writeExposition(families: readonly Family[]): Promise<string> {
  const pieces: string[] = [];
  let since = performance.now();
  let steps = 0;
  for (const family of families) {
    const { name } = family;
    let head = `# HELP ${name} ${escapeHelp(family.help)}\n# TYPE ${name} ${family.type}\n`;
    for (const step of family.samples()) {
      let text = head;
      head = "";
      for (const { suffix, labels, value } of step) text += `${name}${suffix}${labels === "" ? "" : `{${labels}}`} ${writeValue(value)}\n`;
      pieces.push(text);
      if (++steps % STEPS_BETWEEN_LOOKS > 0 || performance.now() - since < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
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

/** In the notation of Go. */
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
