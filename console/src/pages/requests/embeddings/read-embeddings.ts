import { fieldsOf, isFields, listOf, type Fields } from "../../../platform/json.ts";
import { inCount } from "../../../parts/format/format.ts";
import { parseStart } from "../chat/complete-json.ts";

/** A stored request for embeddings. */
export interface LoggedEmbeddings {
  readonly texts: readonly string[];
  readonly parameters: Fields;
}

/** Undefined if it is not JSON with an input. */
export function readEmbeddings(text: string): LoggedEmbeddings | undefined {
  const { input, ...parameters } = fieldsOf(parseStart(text));
  if (typeof input === "string") return { texts: [input], parameters };
  const items = listOf(input);
  if (items.length === 0) return undefined;
  const inputs = typeof items[0] === "number" ? [items] : items;
  return { texts: inputs.map(textOfInput), parameters };
}

function textOfInput(input: unknown): string {
  return typeof input === "string" ? input : inCount(listOf(input).length, "token");
}

/** The vectors of a stored response, such as "2 vectors of length 1,536". Undefined if none of them is complete. */
export function summarizeVectors(text: string): string | undefined {
  const vectors = listOf(fieldsOf(parseStart(text))["data"]).filter(isFields);
  const isWhole = isJson(text);
  // The last vector of a truncated response may be incomplete.
  const complete = isWhole ? vectors : vectors.slice(0, -1);
  if (complete.length === 0) return undefined;
  const count = `${isWhole ? "" : "at least "}${inCount(complete.length, "vector")}`;
  return `${count} of length ${lengthOf(complete[0]!["embedding"]).toLocaleString("en-US")}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const FLOAT_BYTES = 4;

/** A vector is a list of numbers, or 32-bit floats as base64. */
function lengthOf(vector: unknown): number {
  if (typeof vector !== "string") return listOf(vector).length;
  return Math.floor((vector.replace(/=+$/, "").length * 3) / 4 / FLOAT_BYTES);
}
