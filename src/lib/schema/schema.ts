import { editsBetween, nearest } from "../text/nearest-word.ts";

/**
 * The used part of OpenAPI 3.0's Schema Object, as plain data. The same object validates a value (`findViolation`) and is published in
 * `openapi/`, so the two cannot drift apart. A schema with a `title` is published under that name.
 */
export interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: "string" | "integer" | "number" | "boolean" | "object" | "array";
  readonly nullable?: boolean;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** The pattern's requirement in messages: "must be …". Not published. */
  readonly patternInWords?: string;
  /** Error messages do not quote the value. Not published. */
  readonly isSecret?: boolean;
  /** A short example of the object for error messages: `{ ttl_seconds: 3600 }`. Not published. */
  readonly form?: string;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** Names of fields that are validated elsewhere: no other field may differ from them only in case. Not published. */
  readonly reserved?: Readonly<Record<string, unknown>>;
  /** False if no other fields are allowed; otherwise, the schema of each other field. */
  readonly additionalProperties?: false | Schema;
  readonly maxProperties?: number;
  /** The schema of the names of additional properties, which OpenAPI 3.0 does not have. Not published. */
  readonly propertyNames?: Schema;
  /** Alternatives with different `type`, so that a value matches at most one. */
  readonly oneOf?: readonly Schema[];
  readonly default?: string | number | boolean;
  readonly example?: unknown;
}

export interface Violation {
  readonly problem: "missing" | "unknown" | "invalid";
  readonly path: Path;
  /** Continues the path into a sentence: "must be a number, not a string". */
  readonly message: string;
}

/** The path of a value: field names and array indexes. */
export type Path = readonly (string | number)[];

/** Rejects a value. The message continues a sentence that starts with the path. */
export type Fail = (path: Path, message: string, problem?: Violation["problem"]) => never;

/** Accepts every value. */
export const ANYTHING = {} as const satisfies Schema;

/** The first violation of `schema` in `value`, or undefined if there is none. */
export function findViolation(schema: Schema, value: unknown): Violation | undefined {
  if (schema === ANYTHING) return undefined;
  if (value === null && schema.nullable) return undefined;
  if (schema.oneOf) return findInAlternatives(schema.oneOf, value);
  if (schema.type !== undefined && !hasType(schema.type, value)) {
    if (isTooLarge(value, schema)) return invalid(`must be ${rangeOf(schema, value)}`);
    return invalid(`must be ${inWords(schema)}${describeActual(value, schema)}`);
  }
  if (typeof value === "string") return findInString(schema, value);
  if (typeof value === "number") return findInNumber(schema, value);
  if (Array.isArray(value)) return findInArray(schema, value);
  if (isObject(value)) return findInObject(schema, value);
  return undefined;
}

/** A path as a caller would write it: `messages[2].content[0].type`. */
export function formatPath(path: Path): string {
  return path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function findInAlternatives(alternatives: readonly Schema[], value: unknown): Violation | undefined {
  const meant = alternativeFor(value, alternatives) ?? tooLargeFor(value, alternatives);
  if (meant?.enum && typeof value === "string") return findInString(meant, value, alternatives);
  if (meant) return findViolation(meant, value);
  const expected = alternatives.map(inWords).join(" or ");
  return invalid(`must be ${expected}, not ${describe(value)}`);
}

/** A loop without a closure, because it runs for every message of every request. */
export function alternativeFor(value: unknown, alternatives: readonly Schema[]): Schema | undefined {
  for (const each of alternatives) if (each.type === undefined || hasType(each.type, value)) return each;
  return undefined;
}

function tooLargeFor(value: unknown, alternatives: readonly Schema[]): Schema | undefined {
  return alternatives.find((each) => isTooLarge(value, each));
}

const NONE: readonly Schema[] = [];

function findInString(schema: Schema, value: string, alternatives = NONE): Violation | undefined {
  if (schema.enum && !schema.enum.includes(value)) {
    const forms = alternatives.flatMap(({ form }) => (form === undefined ? [] : [` or ${form}`]));
    return invalid(`must be one of ${schema.enum.join(", ")}${forms.join("")}, not ${describe(value)}`);
  }
  if (schema.minLength !== undefined && value.length < schema.minLength) {
    return invalid(schema.minLength === 1 ? "must not be empty" : `must have at least ${schema.minLength} characters`);
  }
  if (schema.maxLength !== undefined && value.length > schema.maxLength) {
    return invalid(`must have at most ${schema.maxLength} characters`);
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value)) {
    return invalid(`must be ${schema.patternInWords ?? `of the form ${schema.pattern}`}${describeActual(value, schema)}`);
  }
  return undefined;
}

function findInNumber(schema: Schema, value: number): Violation | undefined {
  const { minimum, maximum } = schema;
  if ((minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum)) {
    return invalid(`must be ${inRange(minimum, maximum)}, not ${value}`);
  }
  return undefined;
}

function inRange(minimum: number | undefined, maximum: number | undefined): string {
  if (maximum === undefined) return `at least ${minimum}`;
  return minimum === undefined ? `at most ${maximum}` : `between ${minimum} and ${maximum}`;
}

/** Whether the value is a number of the right type that `JSON.parse` could not represent exactly. */
function isTooLarge(value: unknown, { type }: Schema): value is number {
  if (type === "integer") return Number.isInteger(value) || isInfinite(value);
  return type === "number" && isInfinite(value);
}

function isInfinite(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

/** The range that a number exceeds: the bounds of the schema, or otherwise the bounds of a `number`. */
function rangeOf({ type, minimum, maximum }: Schema, value: number): string {
  const largest = type === "integer" ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE;
  return value > 0 ? inRange(minimum, maximum ?? largest) : inRange(minimum ?? -largest, maximum);
}

function findInArray(schema: Schema, value: unknown[]): Violation | undefined {
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    return invalid(`must have at least ${schema.minItems} item${schema.minItems === 1 ? "" : "s"}`);
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    return invalid(`must have at most ${schema.maxItems} item${schema.maxItems === 1 ? "" : "s"}, and has ${value.length}`);
  }
  if (!schema.items) return undefined;
  for (let at = 0; at < value.length; at++) {
    const violation = findViolation(schema.items, value[at]);
    if (violation) return atStep(at, violation);
  }
  return undefined;
}

const NO_PROPERTIES: NonNullable<Schema["properties"]> = {};

function findInObject(schema: Schema, value: Record<string, unknown>): Violation | undefined {
  const properties = schema.properties ?? NO_PROPERTIES;
  // Own keys only, on both sides: a field named `constructor` or `__proto__` must not match a property of Object. Unknown fields are
  // reported before missing ones, because an unknown field is often a misspelled missing field.
  if (schema.additionalProperties === false) {
    const unknown = findUnknown(properties, value);
    if (unknown) return unknown;
  }
  let known = 0;
  for (const name in properties) {
    const isGiven = Object.hasOwn(value, name);
    if (isGiven) known++;
    const property = isGiven ? value[name] : undefined;
    if (property === undefined || (property === null && isOptional(schema, name))) {
      if (isOptional(schema, name)) continue;
      return findVariant(schema, value) ?? { problem: "missing", path: [name], message: "is required" };
    }
    const violation = findViolation(properties[name]!, property);
    if (violation) return atStep(name, violation);
  }
  if (schema.maxProperties !== undefined && Object.keys(value).length > schema.maxProperties) {
    return invalid(`must have at most ${schema.maxProperties} fields`);
  }
  const variant = hasMoreFields(value, known) ? findVariant(schema, value) : undefined;
  return variant ?? (schema.additionalProperties ? findInOthers(schema, schema.additionalProperties, value) : undefined);
}

/** Most objects have only known fields: comparing the counts avoids checking the names. */
function hasMoreFields(value: Record<string, unknown>, known: number): boolean {
  let count = 0;
  for (const _ in value) if (++count > known) return true;
  return false;
}

/** A separate function, because a closure makes every call of its enclosing function more expensive. */
function findUnknown(properties: NonNullable<Schema["properties"]>, value: Record<string, unknown>): Violation | undefined {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
  if (unknown === undefined) return undefined;
  return { problem: "unknown", path: [unknown], message: `is not a known field${hint(unknown, Object.keys(properties))}` };
}

/** A field whose name differs from a known name only in case: a case-insensitive parser would treat it as the known field. */
function findVariant({ properties = NO_PROPERTIES, reserved }: Schema, value: Record<string, unknown>): Violation | undefined {
  for (const name in value) {
    if (Object.hasOwn(properties, name)) continue;
    const known = variantOf(name, properties) ?? (reserved && variantOf(name, reserved));
    if (known === undefined) continue;
    return { problem: "invalid", path: [name], message: `is not spelled exactly like ${known}, and some servers would take it for that` };
  }
  return undefined;
}

/** Messages list up to this many known names; if there are more, only the most similar one. */
const MAX_LISTED_NAMES = 5;

/** Longer names are not compared with known names: it would take long, and such names are rarely misspellings. */
const MAX_MISSPELLED = 40;

function hint(unknown: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  if (known.length <= MAX_LISTED_NAMES) return `: there ${known.length === 1 ? "is" : "are"} ${known.join(", ")}`;
  if (unknown.length > MAX_MISSPELLED) return "";
  const meant = nearest(unknown, known);
  return editsBetween(unknown, meant) * 3 <= unknown.length + 2 ? `: the nearest is ${meant}` : "";
}

function findInOthers({ properties, propertyNames }: Schema, others: Schema, value: Record<string, unknown>): Violation | undefined {
  for (const [name, other] of Object.entries(value)) {
    if (properties && Object.hasOwn(properties, name)) continue;
    if (propertyNames && findViolation(propertyNames, name)) return invalid(`has a name that is not ${propertyNames.patternInWords}`);
    const violation = findViolation(others, other);
    if (violation) return atStep(name, violation);
  }
  return undefined;
}

/** Clients send `null` for "not given", so an optional field of any type may be null. */
function isOptional(schema: Schema, name: string): boolean {
  return !schema.required?.includes(name);
}

function hasType(type: NonNullable<Schema["type"]>, value: unknown): boolean {
  switch (type) {
    // Unsafe integers have already lost digits in parsing, and 1e400 has become Infinity.
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return Number.isFinite(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "string":
    case "boolean":
      return typeof value === type;
  }
}

/** The end of a message that quotes the actual value. Secrets are not quoted. */
function describeActual(value: unknown, { isSecret }: Schema): string {
  return isSecret ? "" : `, not ${describe(value)}`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return value.length <= 40 ? JSON.stringify(value) : "a string";
  if (typeof value === "number") return String(value);
  return withArticle(Array.isArray(value) ? "array" : typeof value);
}

function inWords({ type = "object", form }: Schema): string {
  return `${withArticle(type)}${form === undefined ? "" : ` such as ${form}`}`;
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** Paths are built while returning from a violation, so that a valid value costs no path. */
export function atStep(step: string | number, violation: Violation): Violation {
  return { ...violation, path: [step, ...violation.path] };
}

function invalid(message: string): Violation {
  return { problem: "invalid", path: [], message };
}

type Names = Readonly<Record<string, unknown>>;

const patterns = new WeakMap<Names, RegExp>();

/**
 * The known name that `name` is a variant of: equal under Unicode simple case folding, but spelled differently. Servers written in Go
 * (Ollama among them) treat `MODEL` as `model`, even with the Kelvin sign for a k or a long s for an s, and the last such field wins:
 * https://pkg.go.dev/encoding/json#Unmarshal. A strict reader sees another request.
 */
export function variantOf(name: string, known: Names): string | undefined {
  if (Object.hasOwn(known, name)) return undefined;
  let pattern = patterns.get(known);
  if (!pattern) patterns.set(known, (pattern = foldingPattern(Object.keys(known))));
  return pattern.test(name) ? Object.keys(known).find((each) => foldingPattern([each]).test(name)) : undefined;
}

/** With the flags `i` and `u`, ECMAScript compares by Unicode simple case folding (ECMA-262, Canonicalize), as Go does. */
function foldingPattern(names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.map((name) => RegExp.escape(name)).join("|")})$`, "iu");
}
