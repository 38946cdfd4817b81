import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { dashboard, FILE } from "../../scripts/write-dashboard.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { ROOT } from "../start-gateway.ts";
import { parseQuery, problemsOf } from "./promql.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
    readonly datasource: object;
  }[];
}

const RULES_FILE = join(ROOT, "deploy/alert-rules.yml");
const { groups } = parse(readFileSync(RULES_FILE, "utf8")) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const board = JSON.parse(readFileSync(FILE, "utf8")) as { panels: Panel[]; templating: { list: { name: string; query: unknown }[] } };
const charts = board.panels.filter(({ type }) => type !== "row");

test("the check of queries can fail: it knows what is no query, no metric, no label and no value", () => {
  expect(() => parseQuery("sum(rate(tollgate_requests_total[5m])")).toThrow("not PromQL");
  const wrong = {
    tollgate_request_total: ["there is no tollgate_request_total"],
    tollgate_request_duration_seconds: ["there is no tollgate_request_duration_seconds"],
    'tollgate_requests_total{key="a"}': ["tollgate_requests_total never has key a"],
    'tollgate_requests_total{outcome=~"failed|broken"}': ["tollgate_requests_total never has outcome failed|broken"],
    "sum by (account) (tollgate_requests_total)": ["nothing has the label account"],
  };
  for (const [query, problems] of Object.entries(wrong)) expect(problemsOf(parseQuery(query))).toEqual(problems);
});

describe("the alert rules", () => {
  test("have the shape that Prometheus takes", () => {
    expect(groups.map(({ name }) => name)).toEqual(["tollgate"]);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(Object.keys(rule).filter((field) => !["alert", "expr", "for", "labels", "annotations"].includes(field))).toEqual([]);
      expect(rule.alert).toMatch(/^Tollgate[A-Z][A-Za-z]+$/);
      expect(rule.for ?? "0s").toMatch(/^\d+[smhd]$/);
      expect(rule.labels["severity"]).toBeOneOf(["warning", "critical"]);
      expect(Object.keys(rule.annotations)).toEqual(["summary", "runbook"]);
    }
  });

  for (const { alert, expr, annotations } of rules) {
    test(`${alert} asks for what there is, and its words for labels that its result has`, () => {
      const query = parseQuery(expr);
      expect(problemsOf(query)).toEqual([]);
      const labels = [
        ...Object.values(annotations)
          .join(" ")
          .matchAll(/\$labels\.(\w+)/g),
      ].map((match) => match[1]!);
      const left = query.grouping.length > 0 ? query.grouping : ["instance", "job"];
      expect(labels.filter((label) => !left.includes(label))).toEqual([]);
    });
  }

  test("name commands that there are", () => {
    const named = rules.flatMap(({ annotations }) =>
      [...annotations["runbook"]!.matchAll(/`tollgate ([^`]+)`/g)].map((match) => match[1]!),
    );
    expect(named.length).toBeGreaterThan(3);
    const unknown = named.filter((words) => !Object.keys(COMMANDS).some((command) => `${words} `.startsWith(`${command} `)));
    expect(unknown).toEqual([]);
  });

  const promtool = Bun.which("promtool");
  test.skipIf(promtool === null)("are found good by promtool, where it is installed", () => {
    const { exitCode, stdout } = Bun.spawnSync([promtool!, "check", "rules", RULES_FILE]);
    expect(stdout.toString()).toContain(`SUCCESS: ${rules.length} rules found`);
    expect(exitCode).toBe(0);
  });
});

describe("the dashboard", () => {
  test("is what its script writes", () => {
    expect(board as object).toEqual(dashboard());
  });

  for (const { title, targets = [] } of charts) {
    test(`${title} asks for what there is, and is labelled by what it is grouped by`, () => {
      expect(targets.length).toBeGreaterThan(0);
      for (const { expr, legendFormat } of targets) {
        const query = parseQuery(expr);
        expect(problemsOf(query)).toEqual([]);
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!);
        const left = query.grouping.filter((label) => label !== "le");
        if (query.grouping.length > 0) expect(shown.toSorted()).toEqual([...new Set(left)].toSorted());
        expect(
          query.selectors.every(({ labels }) => labels.some(({ label, value }) => label === "instance" && value === "$instance")),
        ).toBe(true);
      }
    });
  }

  test("has its panels beside and below each other, each with an id, a unit and words of its own", () => {
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    for (const { fieldConfig, description, targets = [] } of charts) {
      expect(fieldConfig!.defaults.unit).not.toBe("");
      expect(description).toEndWith(".");
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      expect(targets.every(({ datasource }) => "uid" in datasource && datasource.uid === "${datasource}")).toBe(true);
    }
    const cells = board.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(board.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  test("can be pointed at any data source, instance and model", () => {
    expect(board.templating.list.map(({ name }) => name)).toEqual(["datasource", "instance", "model"]);
    for (const { query } of board.templating.list.slice(1)) {
      const [, selector, label] = /^label_values\((.+), (\w+)\)$/.exec((query as { query: string }).query)!;
      expect(problemsOf(parseQuery(`sum by (${label}) (${selector})`))).toEqual([]);
    }
  });
});
