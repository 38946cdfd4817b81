/**
 * A strict parser of the text format 0.0.4, written from https://prometheus.io/docs/instrumenting/exposition_formats/. It rejects what the
 * document forbids, and also what the document only advises against: a metric in two places, a sample without a type.
 */

export interface ParsedSample {
  /** The name, with its suffix. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The line without its value. */
  readonly series: string;
}

export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ParsedSample[];
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const HELP = new RegExp(`^# HELP (${NAME}) ([^\\n]*)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const SAMPLE = new RegExp(`^((${NAME})(?:\\{([^\\n]*)\\})?) (\\S+)$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(,|$)/y;
const VALUE = /^(?:NaN|[+-]Inf|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/i;

export function parseExposition(text: string): ParsedFamily[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error("the last line does not end");
  const families: (ParsedFamily & { readonly samples: ParsedSample[] })[] = [];
  let help: { name: string; text: string } | undefined;
  for (const line of text.split("\n").slice(0, -1)) {
    const [, helped, words] = HELP.exec(line) ?? [];
    const [, typed, type] = TYPE.exec(line) ?? [];
    if (helped !== undefined) {
      if (help) throw new Error(`help of ${help.name} without a type`);
      help = { name: helped, text: unescape(words!, /\\(\\|n)/g) };
    } else if (typed !== undefined) {
      if (help?.name !== typed) throw new Error(`a type without help: ${line}`);
      if (families.some(({ name }) => name === typed)) throw new Error(`${typed} comes twice`);
      families.push({ name: typed, type: type!, help: help.text, samples: [] });
      help = undefined;
    } else {
      const family = families.at(-1);
      const sample = parseSample(line);
      if (!family || help || !namesOf(family).includes(sample.name)) throw new Error(`does not belong here: ${line}`);
      family.samples.push(sample);
    }
  }
  for (const family of families) checkFamily(family);
  return families;
}

function parseSample(line: string): ParsedSample {
  const [, series, name, labels = "", value] = SAMPLE.exec(line) ?? [];
  if (series === undefined || !VALUE.test(value!)) throw new Error(`not a sample: ${line}`);
  return { series, name: name!, labels: parseLabels(labels, line), value: Number(value!.replace("Inf", "Infinity")) };
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let isOpen = text !== "";
  for (LABEL.lastIndex = 0; isOpen;) {
    const [, name, value, after] = LABEL.exec(text) ?? [];
    if (name === undefined || Object.hasOwn(labels, name)) throw new Error(`bad labels: ${line}`);
    labels[name] = unescape(value!, /\\(\\|n|")/g);
    isOpen = after === ",";
  }
  return labels;
}

function unescape(text: string, escapes: RegExp): string {
  if (/\\/.test(text.replaceAll(escapes, ""))) throw new Error(`a stray backslash: ${text}`);
  return text.replaceAll(escapes, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
}

function namesOf({ name, type }: ParsedFamily): string[] {
  return type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

function checkFamily(family: ParsedFamily): void {
  const { name, type, samples } = family;
  if (samples.length === 0) throw new Error(`${name} has no samples`);
  const keys = samples.map((sample) => keyOf(sample.name, sample.labels));
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has the same series twice`);
  if (type === "counter" && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} counts down`);
  if (type === "histogram") checkHistogram(family);
}

/** Buckets must increase in their bounds and counts; the last is +Inf, and is equal to the count. */
function checkHistogram({ name, samples }: ParsedFamily): void {
  const of = (suffix: string): readonly ParsedSample[] => samples.filter((sample) => sample.name === `${name}${suffix}`);
  const counts = new Map(of("_count").map(({ labels, value }) => [keyOf("", labels), value]));
  const sums = of("_sum").map(({ labels }) => keyOf("", labels));
  const buckets = Map.groupBy(of("_bucket"), ({ labels }) => keyOf("", { ...labels, le: undefined }));
  const sets = [[...counts.keys()], sums, [...buckets.keys()]].map((each) => each.toSorted().join("\n"));
  if (new Set(sets).size !== 1) throw new Error(`${name} is missing buckets, a sum or a count`);
  for (const [key, each] of buckets) {
    const bounds = each.map(({ labels }) => Number(labels["le"]?.replace("Inf", "Infinity")));
    const isRising = each.every(({ value }, at) => at === 0 || (bounds[at]! > bounds[at - 1]! && value >= each[at - 1]!.value));
    if (!isRising || bounds.at(-1) !== Number.POSITIVE_INFINITY || each.at(-1)!.value !== counts.get(key)) {
      throw new Error(`${name} has buckets that do not add up: ${key}`);
    }
  }
}

function keyOf(name: string, labels: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(labels).filter(([, value]) => value !== undefined);
  return JSON.stringify([name, given.toSorted(([one], [other]) => (one < other ? -1 : 1))]);
}
