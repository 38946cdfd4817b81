import { isObject } from "../../lib/schema/schema.ts";
import { parseExact } from "./exact-json.ts";
import { isTooDeep } from "../refuse-depth.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * The arguments of a call in the history, as an object. Models write arguments that are no JSON, or no object, and callers hand
 * these back: the conversation must go on.
 */
export function argumentsIn(text: unknown): Json {
  if (typeof text !== "string" || text.trim() === "") return {};
  return objectIn(text) ?? { arguments: text };
}

/**
 * The object that a text is, if it is one. The limits on a request's depth do not see into a text: one of nothing but brackets
 * stays a text. So does a number, which with all of its digits is an object to this language.
 */
export function objectIn(text: string): Json | undefined {
  if (!text.trimStart().startsWith("{") || isTooDeep(text)) return undefined;
  try {
    const parsed = parseExact(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
