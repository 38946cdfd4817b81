import { parser } from "@prometheus-io/lezer-promql";
import { METRICS } from "../../src/telemetry/metrics/descriptions.ts";

/** The matcher of one label in a query, or a use of the label without a matcher. */
export interface LabelUse {
  readonly label: string;
  readonly operator?: string;
  readonly value?: string;
}

export interface Query {
  /** The metrics of a query, with their labels. */
  readonly selectors: readonly { readonly metric: string; readonly labels: readonly LabelUse[] }[];
  /** The grouping labels. */
  readonly grouping: readonly string[];
}

/** Parses a query with Prometheus' own grammar. Throws when it is invalid. */
export function parseQuery(expression: string): Query {
  // Variables that Grafana replaces before it sends a query.
  const text = expression.replaceAll("$__rate_interval", "5m").trim();
  const selectors: { metric: string; labels: LabelUse[] }[] = [];
  const grouping: string[] = [];
  parser.parse(text).iterate({
    enter({ type, node, from, to }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`);
      if (type.name === "VectorSelector") selectors.push({ metric: textOf(node.getChild("Identifier")), labels: [] });
      if (type.name === "UnquotedLabelMatcher") {
        const [label, operator, value] = ["LabelName", "MatchOp", "StringLiteral"].map((part) => textOf(node.getChild(part)));
        selectors.at(-1)!.labels.push({ label: label!, operator: operator!, value: value!.slice(1, -1) });
      }
      if (type.name === "LabelName" && node.parent?.type.name === "GroupingLabels") grouping.push(text.slice(from, to));
    },
  });
  return { selectors, grouping };

  function textOf(part: { readonly from: number; readonly to: number } | null): string {
    if (!part) throw new Error(`something is missing: ${text}`);
    return text.slice(part.from, part.to);
  }
}

/** Labels that Prometheus adds to every series. */
const ADDED = ["instance", "job"];

/** The mismatches of a query with the exported metrics: an unknown metric, label or value. */
export function problemsOf({ selectors, grouping }: Query): string[] {
  const known = new Set(selectors.flatMap(({ metric }) => labelsOf(metric)?.keys().toArray() ?? []));
  return [
    ...selectors.flatMap(({ metric, labels }) => {
      const own = labelsOf(metric);
      if (!own) return [`there is no ${metric}`];
      return labels.filter((use) => !canBe(own, use)).map(({ label, value }) => `${metric} never has ${label} ${value}`);
    }),
    ...grouping.filter((label) => !known.has(label)).map((label) => `nothing has the label ${label}`),
  ];
}

/** The labels of a metric with their allowed values; undefined for arbitrary values. */
function labelsOf(metric: string): Map<string, readonly string[] | undefined> | undefined {
  const added = ADDED.map((label) => [label, undefined] as const);
  if (metric === "up") return new Map(added);
  const name = Object.keys(METRICS).find((each) => metric === each || new RegExp(`^${each}_(bucket|sum|count)$`).test(metric));
  if (name === undefined) return undefined;
  const described = METRICS[name as keyof typeof METRICS];
  if ((described.type === "histogram") !== (metric !== name)) return undefined;
  const own = Object.entries<readonly string[] | "names">(described.labels);
  return new Map([
    ...added,
    ...own.map(([label, values]) => [label, values === "names" ? undefined : values] as const),
    ...(metric.endsWith("_bucket") ? [["le", undefined] as const] : []),
  ]);
}

function canBe(own: ReadonlyMap<string, readonly string[] | undefined>, { label, operator, value = "" }: LabelUse): boolean {
  if (!own.has(label)) return false;
  const values = own.get(label);
  if (!values) return true;
  // Every alternative must be a known value, even for excluded values.
  const wanted = operator?.endsWith("~") ? value.split("|") : [value];
  return wanted.every((each) => values.includes(each));
}
