/** Missing from TypeScript's types: JSON.rawJSON, and the source text of a parsed number. */
interface NewerJson {
  rawJSON(this: void, text: string): unknown;
}
interface Spelling {
  readonly source?: string;
}
const { rawJSON } = JSON as unknown as NewerJson;

/**
 * Parses JSON that is serialized again. A number with more digits than a double holds, such as many IDs, keeps its source text:
 * the tool, or the model, would otherwise receive another number.
 */
export function parseExact(text: string): unknown {
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}

function keepDigits(_key: string, value: unknown, { source }: Spelling): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
  return String(value) === source ? value : rawJSON(source);
}
