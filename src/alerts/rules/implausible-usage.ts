import type { Mark } from "../../stores/alerts/alert-store.ts";
import { makeAlert } from "../alert.ts";
import { servedBy } from "../../models/catalog.ts";
import type { Found, Marks } from "./crossing.ts";
import type { Routes } from "./upstream-ejection.ts";

/** The minimum time between two alerts for an upstream: a server with a known defect must not alert all day. */
const QUIET_MS = 24 * 60 * 60_000;

/** `upstream.usage_implausible`: upstreams that report token counts which are not charged. The mark has the count of the last alert. */
export function checkImplausibleUsage({ upstreams, catalog, healthOf }: Routes, marks: Marks, nowMs: number): Found[] {
  return [...upstreams.values()].flatMap((settings) => {
    const subject = subjectOf(settings.id);
    const mark = marks.get(subject);
    const count = healthOf(settings).implausibleUsages ?? 0;
    // The count starts again with each process.
    if (count === 0 || count === Number(mark?.value) || (mark && isQuiet(mark, nowMs))) return [];
    const data = { upstream: settings.id, count, models: servedBy(settings.id, catalog) };
    return [{ subject, mark: { value: String(count), atMs: nowMs }, alert: makeAlert("upstream.usage_implausible", data, nowMs) }];
  });
}

/** A mark in the future was set by a clock that was ahead: it must not suppress alerts until then. */
function isQuiet({ atMs }: Mark, nowMs: number): boolean {
  return atMs <= nowMs && nowMs - atMs < QUIET_MS;
}

/** Whether this is the subject of a removed upstream. */
export function isOfGoneBill(subject: string, upstreams: ReadonlyMap<string, unknown>): boolean {
  const [kind, id] = subject.split(" ");
  return kind === "usage" && !upstreams.has(id!);
}

function subjectOf(upstream: string): string {
  return `usage ${upstream}`;
}
