import { isObject } from "../schema/schema.ts";

/** The value of a JSON text; undefined if the text is not JSON. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object of a JSON text; undefined if the text is not one. */
export function tryParseObject(text: string): Record<string, unknown> | undefined {
  const value = tryParse(text);
  return isObject(value) ? value : undefined;
}
