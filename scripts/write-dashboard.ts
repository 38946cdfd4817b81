/** Writes deploy/grafana-dashboard.json. A test fails when it is out of date. */
import { ROWS, type Panel } from "./dashboard-panels.ts";

export const FILE = new URL("../deploy/grafana-dashboard.json", import.meta.url);

const DATASOURCE = { type: "prometheus", uid: "${datasource}" };
const STAT_HEIGHT = 4;
const HEIGHT = 8;
const COLUMNS = 24;

/** The dashboard in Grafana's classic format, by the types of `@grafana/schema` 13.2. */
export function dashboard(): object {
  return {
    uid: "tollgate",
    title: "Tollgate",
    description: "Traffic, errors, latency, cost, upstreams and the gateway.",
    tags: ["tollgate"],
    timezone: "browser",
    editable: true,
    graphTooltip: 1,
    schemaVersion: 42,
    version: 1,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    timepicker: {},
    annotations: { list: [] },
    links: [],
    templating: { list: [datasourceVariable(), variable("instance", "tollgate_build_info"), variable("model", MODELS)] },
    panels: panels(),
  };
}

const MODELS = 'tollgate_requests_total{instance=~"$instance"}';

function datasourceVariable(): object {
  return {
    type: "datasource",
    name: "datasource",
    label: "Data source",
    query: "prometheus",
    current: DEFAULT,
    options: [],
    refresh: 1,
    hide: 0,
  };
}

const DEFAULT = { text: "default", value: "default" };

/** All values of a label are selected by default. */
function variable(label: string, metric: string): object {
  const query = `label_values(${metric}, ${label})`;
  return {
    type: "query",
    name: label,
    label: label.charAt(0).toUpperCase() + label.slice(1),
    datasource: DATASOURCE,
    query: { qryType: 1, query, refId: "PrometheusVariableQueryEditor-VariableQuery" },
    includeAll: true,
    allValue: ".*",
    multi: true,
    current: { text: ["All"], value: ["$__all"] },
    options: [],
    refresh: 2,
    sort: 1,
    hide: 0,
  };
}

/** Lays panels out by row, from left to right. */
function panels(): object[] {
  const placed: object[] = [];
  let y = 0;
  for (const row of ROWS) {
    placed.push({
      id: placed.length + 1,
      type: "row",
      title: row.title,
      collapsed: false,
      gridPos: { h: 1, w: COLUMNS, x: 0, y },
      panels: [],
    });
    y += 1;
    let x = 0;
    for (const panel of row.panels) {
      if (x + panel.width > COLUMNS) {
        x = 0;
        y += HEIGHT;
      }
      placed.push(describePanel(panel, placed.length + 1, x, y));
      x += panel.width;
    }
    y += row.panels.every(({ kind }) => kind === "stat") ? STAT_HEIGHT : HEIGHT;
  }
  return placed;
}

function describePanel(panel: Panel, id: number, x: number, y: number): object {
  const { title, about, kind, width, queries } = panel;
  return {
    id,
    type: kind,
    title,
    description: about,
    datasource: DATASOURCE,
    gridPos: { h: kind === "stat" ? STAT_HEIGHT : HEIGHT, w: width, x, y },
    fieldConfig: { defaults: defaultsOf(panel), overrides: [] },
    options: optionsOf(panel),
    targets: Object.entries(queries).map(([legend, expr], at) => ({
      refId: String.fromCharCode(65 + at),
      datasource: DATASOURCE,
      editorMode: "code",
      expr,
      legendFormat: legend,
      range: true,
    })),
  };
}

function defaultsOf({ kind, unit, isStacked, thresholds }: Panel): object {
  const [yellow, red] = thresholds ?? [];
  const steps = [
    { color: "green", value: null },
    ...(yellow === undefined ? [] : [{ color: "yellow", value: yellow }]),
    ...(red === undefined ? [] : [{ color: "red", value: red }]),
  ];
  const base = { unit, min: 0, thresholds: { mode: "absolute", steps } };
  if (kind === "stat") return base;
  if (kind === "timeseries") {
    const stacking = { group: "A", mode: isStacked ? "normal" : "none" };
    return { ...base, custom: { drawStyle: "line", lineWidth: 1, fillOpacity: isStacked ? 30 : 5, showPoints: "never", stacking } };
  }
  const options = { 0: { text: "healthy", color: "green", index: 0 }, 1: { text: "ejected", color: "red", index: 1 } };
  return { ...base, mappings: [{ type: "value", options }], custom: { fillOpacity: 70, lineWidth: 0 } };
}

function optionsOf({ kind }: Panel): object {
  if (kind === "stat") {
    const reduceOptions = { calcs: ["lastNotNull"], fields: "", values: false };
    return { reduceOptions, colorMode: "value", graphMode: "area", justifyMode: "auto", textMode: "value", orientation: "auto" };
  }
  const legend = { displayMode: "list", placement: "bottom", showLegend: true, calcs: [] };
  if (kind === "timeseries") return { legend, tooltip: { mode: "multi", sort: "desc" } };
  return { legend, tooltip: { mode: "single", sort: "none" }, showValue: "never", mergeValues: true, alignValue: "left", rowHeight: 0.8 };
}

if (import.meta.main) await Bun.write(FILE, `${JSON.stringify(dashboard(), null, 2)}\n`);
