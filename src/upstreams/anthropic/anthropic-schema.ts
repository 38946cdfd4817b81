import { isObject } from "../../lib/schema/schema.ts";

type Json = Readonly<Record<string, unknown>>;

/** Bounds that the API refuses in the schema of an answer. Schemas of everyday validators are full of them. */
const BOUNDS: ReadonlySet<string> = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
]);

/** Keys whose values are schemas by name, or lists of them. */
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const LISTED: ReadonlySet<string> = new Set(["anyOf", "allOf", "oneOf"]);

/**
 * The schema of an answer as the API takes it: objects are closed, and bounds are told in the description, where the model still
 * reads them. Its own client libraries do the same. A schema that keeps to the API's rules stays as it is.
 */
export function toAnswerSchema(schema: Json): Json {
  const entries = Object.entries(schema);
  const bounds = entries.filter(([name, value]) => BOUNDS.has(name) && !isTaken(name, value));
  const kept = Object.fromEntries(entries.filter((entry) => !bounds.includes(entry)).map(([name, value]) => [name, inner(name, value)]));
  const isOpen = schema["type"] === "object" && schema["additionalProperties"] === undefined;
  return { ...kept, ...(isOpen && { additionalProperties: false }), ...inWords(schema["description"], bounds) };
}

/** Of an array it can be said that it is not empty. */
function isTaken(name: string, value: unknown): boolean {
  return name === "minItems" && (value === 0 || value === 1);
}

function inner(name: string, value: unknown): unknown {
  if (name === "items" && isObject(value)) return toAnswerSchema(value);
  if (LISTED.has(name) && Array.isArray(value)) return value.map((each: unknown) => (isObject(each) ? toAnswerSchema(each) : each));
  if (!NAMED.has(name) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, isObject(each) ? toAnswerSchema(each) : each]));
}

function inWords(description: unknown, bounds: readonly [string, unknown][]): Json {
  if (bounds.length === 0) return {};
  const words = bounds.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ");
  return { description: typeof description === "string" ? `${description} (${words})` : words };
}
