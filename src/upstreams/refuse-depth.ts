import { isDeeperThan } from "../lib/json/json-budget.ts";
import { unparsableResponse } from "./refusal.ts";

/** The deepest nesting that is accepted: far deeper than any real response. */
const MAX_DEPTH = 500;

/** Shorter text cannot be deep enough to be slow. Nearly every event is shorter, so the check is free for them. */
const HARMLESS_CHARS = 4096;

/**
 * Whether JSON is nested too deeply. Serializing takes time quadratic in the depth: one event of 1 MB of brackets would block the event
 * loop for seconds.
 */
export function isTooDeep(text: string): boolean {
  return text.length > HARMLESS_CHARS && isDeeperThan(text, MAX_DEPTH);
}

export function refuseDepth(text: string): void {
  if (isTooDeep(text)) throw unparsableResponse(`JSON more than ${MAX_DEPTH} deep`);
}
