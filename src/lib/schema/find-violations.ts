import { findViolation, atStep, isObject, alternativeFor, type Schema, type Violation } from "./schema.ts";

/** Accepts every value. */
const OPEN = {} as const satisfies Schema;

/**
 * All violations of a value, in the order in which they are found, for people who correct a file; `findViolation` stops at the first
 * violation. If a value does not have the type of its schema, its parts are not examined.
 */
export function findViolations(schema: Schema, value: unknown): Violation[] {
  const first = findViolation(schema, value);
  if (!first) return [];
  const meant = schema.oneOf ? alternativeFor(value, schema.oneOf) : schema;
  if (meant && schema.oneOf && typeof value === "object") return findViolations(meant, value);
  if (meant && Array.isArray(value)) return ofArray(meant, value, first);
  if (meant && isObject(value)) return ofObject(meant, value, first);
  return [first];
}

function ofArray(schema: Schema, value: unknown[], first: Violation): Violation[] {
  if (first.path.length === 0 || !schema.items) return [first];
  return value.flatMap((item, at) => findViolations(schema.items!, item).map((each) => atStep(at, each)));
}

function ofObject(schema: Schema, value: Record<string, unknown>, first: Violation): Violation[] {
  const { properties = {}, additionalProperties: others } = schema;
  const own = ofFields({ ...schema, properties: Object.fromEntries(Object.keys(properties).map((name) => [name, OPEN])) }, value);
  const inParts = Object.entries(value).flatMap(([name, each]) => {
    const part = Object.hasOwn(properties, name) ? properties[name] : others || undefined;
    return part && each != null ? findViolations(part, each).map((violation) => atStep(name, violation)) : [];
  });
  const all = [...own, ...inParts];
  return all.length === 0 ? [first] : all;
}

/** Unknown and missing fields: each field is removed or added once it is found, so that the next one is found, too. */
function ofFields(schema: Schema, value: Record<string, unknown>): Violation[] {
  const found: Violation[] = [];
  const rest = { ...value };
  for (let next = findViolation(schema, rest); next?.path.length === 1; next = findViolation(schema, rest)) {
    const name = String(next.path[0]);
    if (!Object.hasOwn(value, name) || next.problem === "unknown") found.push(next);
    if (next.problem === "missing") rest[name] = "";
    else delete rest[name];
  }
  return found;
}
