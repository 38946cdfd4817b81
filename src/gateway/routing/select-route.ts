import { costInForce, type Model } from "../../models/catalog.ts";
import type { Selection } from "../../models/selection.ts";
import { nextByShare } from "./exact-shares.ts";
import type { Candidate } from "./route-candidates.ts";

/** The selection of a model, where it is not the default. */
export interface RouteSelection {
  readonly name: Exclude<Selection, "weighted">;
  /** The best of these routes, which are ready and of one priority; several where they are equal. */
  among(group: readonly Candidate[]): readonly Candidate[];
}

/** Undefined for the default. `isDryRun`: nothing is counted. */
export function selectionOf({ selection, routes }: Model, nowMs: number, isDryRun: boolean): RouteSelection | undefined {
  switch (selection) {
    case "exact":
      return {
        name: selection,
        among: (group) => [
          group[
            nextByShare(
              routes,
              group.map(({ route }) => route),
              !isDryRun,
            )
          ]!,
        ],
      };
    case "least_busy":
      return { name: selection, among: (group) => lowest(group, ({ health }) => health.inFlight) };
    case "lowest_latency":
      return { name: selection, among: fastest };
    case "lowest_cost":
      return { name: selection, among: (group) => lowest(group, (each) => costOf(each, nowMs)) };
    case "weighted":
    case undefined:
      return undefined;
  }
}

/** A route without a figure is tried first, by one request at a time. The figure of a route decays while it is not called, so that it is tried again. */
function fastest(group: readonly Candidate[]): readonly Candidate[] {
  const unknown = group.filter(({ health }) => health.latencyMs === undefined);
  const untried = unknown.filter(({ health }) => health.inFlight === 0);
  if (untried.length > 0) return untried;
  return unknown.length === group.length ? group : lowest(group, ({ health }) => health.latencyMs ?? Number.POSITIVE_INFINITY);
}

/** In dollars per million input and output tokens together. An unknown cost comes last. */
function costOf({ route }: Candidate, nowMs: number): number {
  const rates = costInForce(route, nowMs)?.rates;
  return rates ? Number(rates.inputPicos + rates.outputPicos) : Number.POSITIVE_INFINITY;
}

function lowest(group: readonly Candidate[], amountOf: (candidate: Candidate) => number): readonly Candidate[] {
  const amounts = group.map(amountOf);
  const least = Math.min(...amounts);
  return group.filter((_, at) => amounts[at] === least);
}
