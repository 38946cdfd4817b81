/** What the types of the language do not have yet: JSON.rawJSON, and the spelling of a number that is parsed. */
interface NewerJson {
  rawJSON(this: void, text: string): unknown;
}
interface Spelling {
  readonly source?: string;
}
const { rawJSON } = JSON as unknown as NewerJson;

/**
 * Parses JSON that is to be written again. A number with more digits than a double holds, as many ids are, keeps its spelling:
 * else the tool, or the model, would be told of another one.
 */
export function parseExact(text: string): unknown {
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}

function keepDigits(_key: string, value: unknown, { source }: Spelling): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
  return String(value) === source ? value : rawJSON(source);
}
