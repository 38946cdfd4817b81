import { fallingBackTo, problemOfDay, problemOfReplacement, type Catalog, type Model, type ModelState } from "../../../models/catalog.ts";
import type { DeclaredModel } from "../../../models/declared-model.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";

export type Deprecated = Extract<ModelState, { name: "deprecated" }>;

/** A state transition that has passed all checks. */
export interface ModelMove {
  readonly model: Model;
  readonly declared: DeclaredModel;
  readonly state: ModelState;
}

export function stateConflict(message: string): ApiError {
  return new ApiError("state_conflict", message);
}

/** A valid shutdown date: a calendar day that is not over, in UTC. */
export function readShutdownDate(day: string, nowMs: number): string {
  const problem = problemOfDay(day, nowMs);
  return problem === undefined ? day : refuseField(["shutdown_date"], problem);
}

/** A valid replacement for another model. */
export function readReplacement(modelId: string, replacement: string, { catalog, nowMs }: Platform): string {
  const problem = problemOfReplacement(modelId, replacement, catalog.snapshot(), nowMs());
  return problem === undefined ? replacement : refuseField(["replacement"], problem);
}

/**
 * A model that is the replacement of others cannot be deprecated or retired: callers who followed that advice would have to migrate
 * again, and the others could not be retired.
 */
export function refuseWhileReplacing({ id }: Model, catalog: Catalog): void {
  const others = [...catalog.values()].filter(({ state }) => state.name === "deprecated" && state.replacement === id);
  if (others.length === 0) return;
  const names = others.map((model) => model.id).join(", ");
  throw stateConflict(
    `The model ${id} is the replacement of ${names}. Set another replacement for ${others.length === 1 ? "it" : "them"} first.`,
  );
}

/** A model that others fall back to cannot be retired: it would no longer serve their requests. */
export function refuseWhileFallback({ id }: Model, catalog: Catalog): void {
  const others = fallingBackTo(id, catalog);
  if (others.length === 0) return;
  throw stateConflict(`The model ${id} is a fallback of ${others.join(", ")}. Remove it from fallback_models there first.`);
}
