import { isObject, type Path, type Schema } from "./schema.ts";

/**
 * The path to the first null that has no meaning: its schema is not `nullable`. `findViolation` accepts null for every optional field,
 * because clients of chat completions send it for "not given". Configuration is stricter, in a file and in a request: otherwise, a program
 * that writes null for "not known" would open every model or remove every limit. Only values that the schema describes are visited.
 */
export function findUnexpectedNull(schema: Schema, value: unknown): Path | undefined {
  if (value === null) return acceptsNull(schema) ? undefined : [];
  for (const [step, part, each] of partsOf(schema, value)) {
    const path = findUnexpectedNull(part, each);
    if (path) return [step, ...path];
  }
  return undefined;
}

function acceptsNull({ nullable, oneOf = [] }: Schema): boolean {
  return nullable === true || oneOf.some(acceptsNull);
}

function partsOf(
  { items, properties = {}, additionalProperties, oneOf = [] }: Schema,
  value: unknown,
): [string | number, Schema, unknown][] {
  const ofAlternatives = oneOf.flatMap((alternative) => partsOf(alternative, value));
  if (Array.isArray(value)) return items ? value.map((item, at) => [at, items, item]) : ofAlternatives;
  if (!isObject(value)) return [];
  const own = Object.entries(value).flatMap(([name, each]): [string, Schema, unknown][] => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties || undefined;
    return schema ? [[name, schema, each]] : [];
  });
  return [...own, ...ofAlternatives];
}
