import {
  problemOfDay,
  problemOfMove,
  problemOfReplacement,
  servedBy,
  type Catalog,
  type Model,
  type ModelState,
} from "../models/catalog.ts";
import { summarizeList } from "../lib/text/summarize-list.ts";

/** What is known from before the file was read, and what there would be to call if it were in force. */
export interface Kept {
  /** The state that a model was last in: there are moves that it cannot make. */
  readonly stateOf: (modelId: string) => ModelState | undefined;
  /** Whether this is a key for calls of ours. Somebody has pasted the wrong one, and it must not be sent elsewhere. */
  readonly isOwnKey: (credential: string) => boolean;
  /** Of all origins, with the file's. */
  readonly catalog: Catalog;
  /** Upstreams of the file in force that there would be no more. At a start there is none: what is missing then has been missed. */
  readonly goneUpstreams: readonly string[];
  /** Models that were the file's, have not ended, and have been called lately. */
  readonly inUse: readonly string[];
  readonly inUseSinceMs: number;
  readonly nowMs: number;
}

/** What is wrong with a field of a model. */
export interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

/** Why a model cannot be told to be in the state that a file gives it. What was told before is not judged anew. */
export function problemOfNews({ id, state }: Model, { stateOf, catalog, nowMs }: Kept): FieldProblem | undefined {
  const before = stateOf(id);
  if (Bun.deepEquals(before, state)) return undefined;
  const move = before && problemOfMove(before, state);
  if (move !== undefined) return { field: "state", problem: move };
  const day = state.name === "deprecated" ? problemOfDay(state.shutdownDate, nowMs) : undefined;
  if (day !== undefined) return { field: "shutdown_date", problem: day };
  const replacement = state.name === "available" ? undefined : problemOfReplacement(id, state.replacement, catalog, nowMs);
  return replacement === undefined ? undefined : { field: "replacement", problem: replacement };
}

/** What is not in the file and must not be missing. */
export function problemOfGone({ catalog, goneUpstreams, inUse, inUseSinceMs }: Kept): string | undefined {
  const model = inUse.find((id) => !catalog.has(id));
  if (model !== undefined) {
    const since = new Date(inUseSinceMs).toISOString().slice(0, 10);
    return `the model ${model} is gone from the file, and a key has used it since ${since}: deprecate it and retire it first (models[].state), or keep it`;
  }
  const upstream = goneUpstreams.find((id) => servedBy(id, catalog).length > 0);
  if (upstream === undefined) return undefined;
  const served = summarizeList(servedBy(upstream, catalog));
  return `the upstream ${upstream} is gone from the file, and it serves ${served}: give each another route, or retire it, first, or keep the upstream`;
}
