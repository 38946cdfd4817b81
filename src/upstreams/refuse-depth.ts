import { isDeeperThan } from "../lib/json/json-text.ts";
import { notUnderstood } from "./refusal.ts";

/** Far above any answer's. */
const MAX_DEPTH = 500;

/** What is shorter cannot be deep enough to take long. Nearly every event is, so that looking costs nothing. */
const HARMLESS_CHARS = 4096;

/**
 * Whether JSON is nested out of all measure. Writing it anew takes a time that grows with the square of its depth: one event of
 * 1 MB of brackets would stop every caller of the gateway for seconds.
 */
export function isTooDeep(text: string): boolean {
  return text.length > HARMLESS_CHARS && isDeeperThan(text, MAX_DEPTH);
}

export function refuseDepth(text: string): void {
  if (isTooDeep(text)) throw notUnderstood(`JSON more than ${MAX_DEPTH} deep`);
}
