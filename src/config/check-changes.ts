import {
  fallingBackTo,
  problemOfDay,
  problemOfStateChange,
  problemOfReplacement,
  servedBy,
  type Catalog,
  type Model,
  type ModelState,
} from "../models/catalog.ts";
import { summarizeList } from "../lib/text/summarize-list.ts";

/** The state before the file is applied, and the catalog after it is applied. */
export interface StoredState {
  /** The last state of a model: some transitions are not allowed. */
  readonly stateOf: (modelId: string) => ModelState | undefined;
  /** Whether this text is a key of this Tollgate. Such a key was pasted by mistake, and must not be sent to an upstream. */
  readonly isOwnKey: (credential: string) => boolean;
  /** A key of an account with limits or spend caps per end user or tag, if there is one. */
  readonly keyWithParts: (accountId: string) => string | undefined;
  /** The models of all origins, including the new file. */
  readonly catalog: Catalog;
  /** Upstreams of the current file that would be removed. Empty at a start, when the previous file is unknown. */
  readonly removedUpstreams: readonly string[];
  /** Models of the current file that would be removed or retired. Empty at a start. */
  readonly removedModels: readonly string[];
  /** Models of the previous file that are not retired and were called recently. */
  readonly inUse: readonly string[];
  /** The IDs of the price lists of all origins, including the new file. */
  readonly priceLists: ReadonlySet<string>;
  /** The IDs of all accounts, including the new file. */
  readonly accountIds: ReadonlySet<string>;
  /** The price lists of accounts that are not in the file. The value is one such account. */
  readonly usedPriceLists: ReadonlyMap<string, string>;
  readonly inUseSinceMs: number;
  readonly nowMs: number;
}

/** A problem with a field of a model. */
interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

/** Why a model cannot change to the state in the file. A state that was announced earlier is not checked again. */
export function problemOfNewState({ id, state }: Model, { stateOf, catalog, nowMs }: StoredState): FieldProblem | undefined {
  const before = stateOf(id);
  if (Bun.deepEquals(before, state)) return undefined;
  const move = before && problemOfStateChange(before, state);
  if (move !== undefined) return { field: "state", problem: move };
  const day = state.name === "deprecated" ? problemOfDay(state.shutdownDate, nowMs) : undefined;
  if (day !== undefined) return { field: "shutdown_date", problem: day };
  const replacement = state.name === "available" ? undefined : problemOfReplacement(id, state.replacement, catalog, nowMs);
  return replacement === undefined ? undefined : { field: "replacement", problem: replacement };
}

/** A missing model or upstream that is still in use. */
export function problemOfRemovals(stored: StoredState): string | undefined {
  const { catalog, removedUpstreams, removedModels, inUse, inUseSinceMs, priceLists, usedPriceLists } = stored;
  const model = inUse.find((id) => !catalog.has(id));
  if (model !== undefined) {
    const since = new Date(inUseSinceMs).toISOString().slice(0, 10);
    return `the model ${model} is missing from the file, but a key has used it since ${since}: deprecate and retire it first (models[].state), or keep it`;
  }
  const fallback = removedModels.find((id) => fallingBackTo(id, catalog).length > 0);
  if (fallback !== undefined) {
    const others = summarizeList(fallingBackTo(fallback, catalog));
    return `the model ${fallback} is missing from the file or retired, but it is a fallback of ${others}: remove it from fallback_models there first, or keep it`;
  }
  const upstream = removedUpstreams.find((id) => servedBy(id, catalog).length > 0);
  if (upstream === undefined) return problemOfRemovedLists(priceLists, usedPriceLists);
  const served = summarizeList(servedBy(upstream, catalog));
  return `the upstream ${upstream} is missing from the file, but it serves ${served}: give each another route or retire it first, or keep the upstream`;
}

/** Without its price list, an account would pay other prices than agreed. */
function problemOfRemovedLists(priceLists: ReadonlySet<string>, used: ReadonlyMap<string, string>): string | undefined {
  const [list, account] = [...used].find(([id]) => !priceLists.has(id)) ?? [];
  if (list === undefined) return undefined;
  return `the price list ${list} is missing from the file, but the account ${account} has it: give the account another, or keep the list`;
}
