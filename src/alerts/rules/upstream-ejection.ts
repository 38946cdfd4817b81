import { makeAlert } from "../alert.ts";
import type { Catalog } from "../../models/catalog.ts";
import type { ModelHealth, UpstreamHealth } from "../../models/upstream-health.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import { isQuiet, clearedMark, type SubjectFinding, type Marks } from "./crossing.ts";

/** The minimum time between two alerts for a flapping route. */
const QUIET_MS = 10 * 60_000;

const OUT = "out";
const IN = "in";

export interface Routes {
  readonly upstreams: ReadonlyMap<string, UpstreamSettings>;
  readonly catalog: Catalog;
  readonly healthOf: (settings: UpstreamSettings) => UpstreamHealth;
}

/** `upstream.ejected` and `upstream.restored`: routes that the circuit breaker has ejected. The mark has the time of the last alert. */
export function checkUpstreamEjection({ upstreams, catalog, healthOf }: Routes, marks: Marks, nowMs: number): SubjectFinding[] {
  return [...upstreams.values()].flatMap((settings) =>
    healthOf(settings).models.flatMap((health) => checkRoute(settings.id, health, catalog, marks, nowMs)),
  );
}

function checkRoute(upstream: string, health: ModelHealth, catalog: Catalog, marks: Marks, nowMs: number): SubjectFinding[] {
  const subject = subjectOf(upstream, health.upstreamModel);
  const mark = marks.get(subject);
  // Computed only for an alert: searching thousands of models for each route takes long.
  const data = () => ({ upstream, upstream_model: health.upstreamModel, models: modelsOn(upstream, health.upstreamModel, catalog) });
  if (health.state !== "healthy") {
    const isAlerted = mark?.value === OUT || (mark !== undefined && isQuiet(mark, nowMs, QUIET_MS));
    if (isAlerted) return [];
    const { calls, failures } = health.recent;
    const alert = makeAlert("upstream.ejected", { ...data(), recent_calls: calls, recent_failures: failures }, nowMs);
    return [{ subject, mark: { value: OUT, atMs: nowMs }, alert }];
  }
  if (!mark) return [];
  if (mark.value === OUT) {
    // After a restart, every route counts as healthy until it fails, so only a successful call shows that the route has recovered.
    const isBack = health.recent.calls > health.recent.failures;
    return isBack ? [{ subject, mark: { value: IN, atMs: mark.atMs }, alert: makeAlert("upstream.restored", data(), nowMs) }] : [];
  }
  return isQuiet(mark, nowMs, QUIET_MS) ? [] : [clearedMark(subject)];
}

/** Whether this is the subject of a removed route. */
export function isOfRemovedRoute(subject: string, upstreams: ReadonlyMap<string, unknown>): boolean {
  const [kind, upstream] = subject.split(" ");
  return kind === "route" && !upstreams.has(upstream!);
}

function subjectOf(upstream: string, upstreamModel: string): string {
  return `route ${upstream} ${upstreamModel}`;
}

function modelsOn(upstream: string, upstreamModel: string, catalog: Catalog): string[] {
  const isThisRoute = (route: { upstream: string; upstreamModel: string }): boolean =>
    route.upstream === upstream && route.upstreamModel === upstreamModel;
  return [...catalog.values()].filter(({ state, routes }) => state.name !== "retired" && routes.some(isThisRoute)).map(({ id }) => id);
}
