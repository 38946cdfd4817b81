import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./json-characters.ts";
import { endOfString, skipSpace } from "./json-text.ts";
import type { Path } from "../schema/schema.ts";

/**
 * Duplicate names in an object. Of `{"content":"a","content":"b"}` some parsers take the first and some the last (RFC 8259 §4), so the
 * gateway and an upstream could read different requests from one body. No client sends this by accident.
 */

/**
 * The number of fields in all objects of a parsed value, where a repeated name counts once. In the outline of the text, it counts each
 * time.
 */
export function countFields(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null) count += countFields(item as object);
    return count;
  }
  for (const name in value) {
    const field = (value as Record<string, unknown>)[name];
    count += typeof field === "object" && field !== null ? 1 + countFields(field) : 1;
  }
  return count;
}

/** An open object or array. */
interface Level {
  /** The names so far; undefined for an array. */
  readonly names: Set<string> | undefined;
  /** The name or the index of the value that is being read. */
  step: string | number;
}

/** The path of the first name that is repeated in its object. Expects the text of a JSON value. */
export function findRepeatedName(text: string): Path | undefined {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE) levels.push({ names: new Set(), step: "" });
    else if (code === OPEN_BRACKET) levels.push({ names: undefined, step: 0 });
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) levels.pop();
    else if (code === COMMA) nextItem(levels.at(-1));
    else if (code === QUOTE) {
      const end = endOfString(text, at);
      const isName = text.charCodeAt(skipSpace(text, end)) === COLON;
      if (isName && isRepeated(levels.at(-1), JSON.parse(text.slice(at, end)) as string)) return levels.map(({ step }) => step);
      at = end - 1;
    }
  }
  return undefined;
}

function nextItem(level: Level | undefined): void {
  if (typeof level?.step === "number") level.step++;
}

function isRepeated(level: Level | undefined, name: string): boolean {
  if (!level?.names) return false;
  level.step = name;
  if (level.names.has(name)) return true;
  level.names.add(name);
  return false;
}
