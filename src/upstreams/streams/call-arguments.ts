import { JsonBudget } from "../../lib/json/json-budget.ts";
import { JSON_LIMITS } from "../../lib/json/json-text.ts";
import { isObject, type Path } from "../../lib/schema/schema.ts";
import { wrongValue } from "../unsupported-parameter.ts";
import { parseExact } from "../../lib/json/exact-json.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Rejects tool calls in the history whose arguments exceed the limits of a request body, which is not parsed inside strings: 18 MB of
 * arguments would block every other request for seconds. Call it before the arguments are parsed.
 */
export function refuseLargeArguments(messages: readonly Json[]): void {
  const budget = new JsonBudget(JSON_LIMITS);
  for (const [at, { tool_calls: calls, function_call: legacy }] of messages.entries()) {
    if (Array.isArray(calls)) for (const [place, call] of calls.entries()) refuseIn(call, budget, ["messages", at, "tool_calls", place]);
    if (isObject(legacy)) refuseIn({ function: legacy }, budget, ["messages", at, "function_call"]);
  }
}

function refuseIn(call: unknown, budget: JsonBudget, path: Path): void {
  const { function: fn, custom } = isObject(call) ? call : {};
  for (const text of [isObject(fn) && fn["arguments"], isObject(custom) && custom["input"]]) {
    const exceeded = typeof text === "string" && looksLikeObject(text) ? budget.take(text) : undefined;
    if (exceeded === "maxDepth") throw wrongValue(path, `has arguments that nest deeper than ${JSON_LIMITS.maxDepth} levels`);
    if (exceeded === "maxValues") throw wrongValue(path, `and the calls before it have more than ${JSON_LIMITS.maxValues} values`);
  }
}

/**
 * The arguments of a tool call in the history, as an object. Models write arguments that are not JSON, or not an object, and clients
 * send them back: the conversation must continue.
 */
export function argumentsIn(text: unknown): Json {
  if (typeof text !== "string" || text.trim() === "") return {};
  return objectIn(text) ?? { arguments: text };
}

/** The result of a tool as an object, if it is one within the limits. A larger one stays text, as the client wrote it. */
export function resultIn(text: string, budget: JsonBudget): Json | undefined {
  return looksLikeObject(text) && budget.take(text) === undefined ? objectIn(text) : undefined;
}

/** Parses a text to an object, if it is one. A number becomes an object through `JSON.rawJSON`, so a text with a number stays text. */
function objectIn(text: string): Json | undefined {
  if (!looksLikeObject(text)) return undefined;
  try {
    const parsed = parseExact(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Other text is not parsed, so it does not count against the limits. */
function looksLikeObject(text: string): boolean {
  return /^\s*\{/.test(text);
}
