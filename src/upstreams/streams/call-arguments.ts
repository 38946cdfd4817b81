import { isObject } from "../../lib/schema/schema.ts";
import { parseExact } from "./exact-json.ts";
import { isTooDeep } from "../refuse-depth.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * The arguments of a tool call in the history, as an object. Models write arguments that are not JSON, or not an object, and clients
 * send them back: the conversation must continue.
 */
export function argumentsIn(text: unknown): Json {
  if (typeof text !== "string" || text.trim() === "") return {};
  return objectIn(text) ?? { arguments: text };
}

/**
 * Parses a text to an object, if it is one. A request's depth limit does not look into strings: a string of nothing but brackets stays
 * a string. So does a number, which is an object to `JSON.rawJSON`.
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
