/** Writes the tables of metrics into docs/metrics.md. A test fails when they are out of date. */
import { MODEL_ENDPOINTS } from "../src/money/attribution.ts";
import { MAX_MODELS } from "../src/telemetry/metrics/chat-metrics.ts";
import { descriptionOf, METRICS, type Description, type MetricName } from "../src/telemetry/metrics/descriptions.ts";
import { STATUSES, type Values } from "../src/telemetry/metrics/label-values.ts";
import { MAX_UPSTREAM_MODELS, MAX_UPSTREAMS } from "../src/telemetry/metrics/upstream-metrics.ts";
import { outcomeOf } from "../src/requests/outcome-of.ts";
import { RequestNotes, type EndedRequest } from "../src/requests/request-notes.ts";

const FILE = new URL("../docs/metrics.md", import.meta.url);
export const HEADING = "## Every metric\n";

/** The unbounded labels with their maximum number of values: the limit, and one or two aggregates. */
const BOUNDED_LABELS = {
  model: { words: "a model", count: MAX_MODELS + 2 },
  upstream: { words: "an upstream", count: MAX_UPSTREAMS + 1 },
  upstream_model: { words: "a model at an upstream", count: MAX_UPSTREAM_MODELS + 1 },
} as const;

type BoundedLabel = keyof typeof BOUNDED_LABELS;

/** All metrics, with their maximum number of series. */
export function metricTables(): string {
  const names = Object.keys(METRICS) as MetricName[];
  const rows = names.map((name) => {
    const { type, help, labels } = METRICS[name];
    const lines = `${linesOf(name)}${eachOf(name) ? ` ${BOUNDED_LABELS[eachOf(name)!].words}` : ""}`;
    return `| \`${name}\` | ${type} | ${Object.keys(labels).map(code).join(", ")} | ${lines} | ${help} |\n`;
  });
  return `\n| metric | type | labels | series at most | what |\n|---|---|---|---|---|\n${rows.join("")}\n## How many series\n\n${bound(names)}\n## Several processes\n\n${merging(names)}\n## Values of labels\n\n${values()}`;
}

/** The maximum number of series in total. */
export function mostSeries(): number {
  const names = Object.keys(METRICS) as MetricName[];
  return names.reduce((sum, name) => sum + linesOf(name) * (BOUNDED_LABELS[eachOf(name)!]?.count ?? 1), 0);
}

function bound(names: readonly MetricName[]): string {
  const sum = (each: BoundedLabel | undefined): number =>
    names.filter((name) => eachOf(name) === each).reduce((lines, name) => lines + linesOf(name), 0);
  const counts = (Object.keys(BOUNDED_LABELS) as BoundedLabel[]).map((each) => ({ ...BOUNDED_LABELS[each], lines: sum(each) }));
  const rows = counts.map(({ words, lines, count }) => `| ${lines} for ${words} | ${inWords(count)} | ${inWords(lines * count)} |\n`);
  const fixed = sum(undefined);
  return `Fifty models in use come to some 3,000 series. This is the most that there can be, if every model has met every status and outcome at every endpoint:

| series | maximum number | total |\n|---|---|---|\n${rows.join("")}| ${fixed} for the process | 1 | ${fixed} |\n| all | | ${inWords(mostSeries())} |\n`;
}

/** How the values of gateway processes are merged. */
function merging(names: readonly MetricName[]): string {
  const list = (merge: Description["merge"]): string =>
    names
      .filter((name) => descriptionOf(name)?.merge === merge)
      .map(code)
      .join(", ");
  return `With several gateway processes (\`--processes\`), one scrape of the owner has the metrics of all of them. Values are summed over the processes and their owner; counters keep
what processes that have ended had counted. A process reports once a second and at each scrape, so a killed one loses up to a second. After a restart of the owner all
counters start at zero, including the counters of processes that outlived it. The limits of the number of series hold for each process. Exceptions:

| values | metrics |
|---|---|
| one series for each process, with the label \`process\`: \`owner\`, \`1\`, \`2\` and so on; a rolling restart uses one more number | ${list("process")} |
| the highest one: 1 if it is 1 in any process | ${list("max")} |
| the owner's alone | ${list("owner")} |
`;
}

function inWords(count: number): string {
  return count.toLocaleString("en-US");
}

/** The label with one set of series per value; undefined for a single set. */
function eachOf(name: MetricName): BoundedLabel | undefined {
  const labels = Object.keys(METRICS[name].labels);
  return (["upstream_model", "model", "upstream"] as const).find((each) => labels.includes(each));
}

/** The number of series per model, per upstream, or per process. */
function linesOf(name: MetricName): number {
  const { labels, type } = METRICS[name];
  const closed = Object.values<Values>(labels).filter((allowed) => allowed !== "names");
  const cells =
    name === "tollgate_requests_total"
      ? endings() * 2 * MODEL_ENDPOINTS.length
      : closed.reduce((product, allowed) => product * allowed.length, 1);
  const buckets = type === "histogram" ? METRICS[name as "tollgate_request_duration_seconds"].buckets.length : undefined;
  return buckets === undefined ? cells : cells * (buckets + 3);
}

/** The pairs of status and outcome: only a started response can have several outcomes. */
function endings(): number {
  const notes: Partial<RequestNotes>[] = [{}, { isDryRun: true }, { replayed: "req_1" }, { end: "failed" }, { end: "caller_gone" }];
  const pairs = STATUSES.flatMap((status) => {
    const ways = status === "200" ? notes : [{}];
    return ways.map((way) => `${status} ${outcomeOf(endedWith(Number(status), way))}`);
  });
  return new Set(pairs).size;
}

function endedWith(status: number, notes: Partial<RequestNotes>): EndedRequest {
  return { status, notes: Object.assign(new RequestNotes(), notes) } as EndedRequest;
}

/** A label may have different values in different metrics. */
function values(): string {
  const seen = new Map<string, { label: string; list: string; metrics: string[] }>();
  for (const [name, { labels }] of Object.entries(METRICS)) {
    for (const [label, allowed] of Object.entries<Values>(labels)) {
      if (allowed === "names" || label === "code" || label === "deviation") continue;
      const list = allowed.map(code).join(", ");
      const entry = seen.get(`${label} ${list}`) ?? { label, list, metrics: [] };
      entry.metrics.push(code(name));
      seen.set(`${label} ${list}`, entry);
    }
  }
  const rows = [...seen.values()].map(({ label, list, metrics }) => `| \`${label}\` | ${metrics.join(", ")} | ${list} |\n`);
  return `| label | of | values |\n|---|---|---|\n${rows.join("")}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) {
  const [before] = (await Bun.file(FILE).text()).split(HEADING);
  await Bun.write(FILE, `${before}${HEADING}${metricTables()}`);
}
