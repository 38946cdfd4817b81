import { readStored, store } from "../browser-store.ts";
import type { StoredRun } from "./stored-run.ts";

/** Prompts may be confidential, so the history is never sent to the server, and can be turned off. */
interface RunHistory {
  readonly isOn: boolean;
  /** Newest first. */
  readonly runs: readonly StoredRun[];
}

const MAX_RUNS = 50;
/** Browsers store about 5 million characters per origin. */
const MAX_LENGTH = 2_000_000;

/** The version is part of the name, so that a history in another format is not read. */
const nameFor = (person: string): string => `tollgate-playground-history-1:${person}`;

export function readHistory(person: string): RunHistory {
  const { isOn, runs } = (readStored(nameFor(person)) ?? {}) as Partial<RunHistory>;
  return { isOn: isOn ?? true, runs: Array.isArray(runs) ? runs : [] };
}

/** Adds a run, or replaces it after a retry. The oldest runs are removed if space is short. */
export function addRun(person: string, run: StoredRun): void {
  const { isOn, runs } = readHistory(person);
  if (isOn) write(person, [run, ...runs.filter(({ id }) => id !== run.id)]);
}

export function removeRun(person: string, id: string): void {
  const history = readHistory(person);
  store(nameFor(person), { ...history, runs: history.runs.filter((run) => run.id !== id) });
}

/** Removes all runs. They are also removed when the history is turned off. */
export function clearHistory(person: string, isOn: boolean): void {
  store(nameFor(person), { isOn, runs: [] });
}

function write(person: string, runs: readonly StoredRun[]): void {
  const kept = withinLimits(runs);
  const isStored = store(nameFor(person), { isOn: true, runs: kept });
  // Other pages may have filled the storage: stores fewer runs.
  if (!isStored && kept.length > 0) write(person, kept.slice(0, Math.floor(kept.length / 2)));
}

/** The newest runs that fit. A single run that is too long is not stored. */
function withinLimits(runs: readonly StoredRun[]): readonly StoredRun[] {
  let length = 0;
  return runs.slice(0, MAX_RUNS).filter((run) => {
    const more = JSON.stringify(run).length;
    if (length + more > MAX_LENGTH) return false;
    length += more;
    return true;
  });
}
