import { isFields, type Fields } from "../../../platform/json.ts";
import { canonical, type Keyword, memberPath, type KeywordPlace, type SchemaProblem } from "./place.ts";

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Each item, except for items that `prefixItems` describes. */
const items: Keyword = (schema, at) => {
  if (!Array.isArray(at.value)) return undefined;
  const first = lengthOf(at.schema["prefixItems"]);
  return at.value.flatMap((value: unknown, index) =>
    index < first ? [] : at.check(schema, { value, path: `${at.path}[${index}]`, depth: at.depth }),
  );
};

const prefixItems: Keyword = (schemas, at) => {
  const { value } = at;
  if (!Array.isArray(value) || !Array.isArray(schemas)) return undefined;
  return schemas
    .slice(0, value.length)
    .flatMap((schema, index) => at.check(schema, { value: value[index] as unknown, path: `${at.path}[${index}]`, depth: at.depth }));
};

const minItems: Keyword = (limit, { value }) =>
  Array.isArray(value) && value.length < Number(limit) ? `must have at least ${String(limit)} items.` : undefined;

const maxItems: Keyword = (limit, { value }) =>
  Array.isArray(value) && value.length > Number(limit) ? `must have at most ${String(limit)} items.` : undefined;

const uniqueItems: Keyword = (isUnique, { value }) =>
  isUnique === true && Array.isArray(value) && new Set(value.map(canonical)).size < value.length ? "has equal items." : undefined;

const arrayKeywords: Readonly<Record<string, Keyword>> = { items, prefixItems, minItems, maxItems, uniqueItems };

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

function checkMember(schema: unknown, name: string, at: KeywordPlace): readonly SchemaProblem[] {
  return at.check(schema, { value: (at.value as Fields)[name], path: memberPath(at.path, name), depth: at.depth });
}

const properties: Keyword = (schemas, at) =>
  Object.keys(fieldsOf(at.value)).flatMap((name) =>
    Object.hasOwn(fieldsOf(schemas), name) ? checkMember(fieldsOf(schemas)[name], name, at) : [],
  );

const additionalProperties: Keyword = (schema, at) =>
  Object.keys(fieldsOf(at.value)).flatMap((name) =>
    Object.hasOwn(fieldsOf(at.schema["properties"]), name) ? [] : checkMember(schema, name, at),
  );

const required: Keyword = (names, at) => {
  if (!isFields(at.value) || !Array.isArray(names)) return undefined;
  const { value } = at;
  const missing = names.filter((name): name is string => typeof name === "string" && !Object.hasOwn(value, name));
  return missing.map((name) => ({ path: memberPath(at.path, name), message: "is required." }));
};

const objectKeywords: Readonly<Record<string, Keyword>> = { properties, additionalProperties, required };

/** The problems of a keyword of the schema; undefined for an unknown keyword. */
export function keywordProblems(keyword: string, at: KeywordPlace): readonly SchemaProblem[] | undefined {
  if (!Object.hasOwn(KEYWORDS, keyword)) return undefined;
  const found = KEYWORDS[keyword]!(at.schema[keyword], at);
  return typeof found === "string" ? [{ path: at.path, message: found }] : (found ?? []);
}

const TYPES: Readonly<Record<string, { readonly label: string; readonly has: (value: unknown) => boolean }>> = {
  string: { label: "a string", has: (value) => typeof value === "string" },
  number: { label: "a number", has: (value) => typeof value === "number" },
  integer: { label: "an integer", has: (value) => Number.isInteger(value) },
  boolean: { label: "true or false", has: (value) => typeof value === "boolean" },
  null: { label: "null", has: (value) => value === null },
  array: { label: "an array", has: Array.isArray },
  object: { label: "an object", has: isFields },
};

const type: Keyword = (expected, { value }) => {
  const types = [expected].flat().flatMap((name) => (typeof name === "string" && Object.hasOwn(TYPES, name) ? [TYPES[name]!] : []));
  if (types.length === 0 || types.some(({ has }) => has(value))) return undefined;
  return `must be ${types.map(({ label }) => label).join(" or ")}.`;
};

const oneOfValues: Keyword = (expected, { value }) => {
  if (!Array.isArray(expected) || expected.some((each) => canonical(each) === canonical(value))) return undefined;
  return `must be ${expected.map((each) => JSON.stringify(each)).join(" or ")}.`;
};

/** A keyword that compares a number with a limit. */
function figure(isRight: (value: number, limit: number) => boolean, words: string): Keyword {
  return (limit, { value }) =>
    typeof value !== "number" || typeof limit !== "number" || isRight(value, limit) ? undefined : `must be ${words} ${limit}.`;
}

function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return Math.abs(times - Math.round(times)) < 1e-9;
}

/** Counts characters, as JSON Schema requires, not UTF-16 units. */
function lengthLimit(isRight: (length: number, limit: number) => boolean, words: string): Keyword {
  return (limit, { value }) =>
    typeof value !== "string" || typeof limit !== "number" || isRight(Array.from(value).length, limit)
      ? undefined
      : `must have ${words} ${limit} characters.`;
}

const pattern: Keyword = (expected, { value }) => {
  if (typeof value !== "string" || typeof expected !== "string") return undefined;
  try {
    return new RegExp(expected, "u").test(value) ? undefined : `must match the pattern ${expected}`;
  } catch {
    return `cannot be checked: the pattern ${expected} is invalid.`;
  }
};

const memberOf = (part: unknown, step: string): unknown =>
  typeof part === "object" && part !== null && Object.hasOwn(part, step) ? (part as Fields)[step] : undefined;

/** Decodes a step of a JSON Pointer (RFC 6901). */
const unescapeStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const reference: Keyword = (pointer, at) => {
  if (typeof pointer !== "string" || !pointer.startsWith("#")) return `cannot be checked: ${String(pointer)} is not in the schema.`;
  const steps = pointer.split("/").slice(1);
  const target = steps.map(unescapeStep).reduce(memberOf, at.root);
  return target === undefined ? `cannot be checked: ${pointer} is not in the schema.` : at.check(target, at);
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const allOf: Keyword = (parts, at) => listOf(parts).flatMap((part) => at.check(part, at));

/** If only one alternative is not null, its own problems are more helpful. */
const anyOf: Keyword = (parts, at) => {
  const tried = listOf(parts).map((part) => at.check(part, at));
  if (tried.length === 0 || tried.some((problems) => problems.length === 0)) return undefined;
  const close = tried.filter((problems) => problems.every(({ path }) => path !== at.path));
  return close.length === 1 ? close[0]! : "matches no schema of anyOf.";
};

const oneOf: Keyword = (parts, at) => {
  const matching = listOf(parts).filter((part) => at.check(part, at).length === 0).length;
  return matching === 1 ? undefined : `must match one schema of oneOf, and matches ${matching}.`;
};

const not: Keyword = (part, at) => (at.check(part, at).length === 0 ? "matches the schema of not." : undefined);

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $ref: reference,
  type,
  enum: oneOfValues,
  const: (expected, at) => oneOfValues([expected], at),
  minimum: figure((value, limit) => value >= limit, "at least"),
  maximum: figure((value, limit) => value <= limit, "at most"),
  exclusiveMinimum: figure((value, limit) => value > limit, "more than"),
  exclusiveMaximum: figure((value, limit) => value < limit, "less than"),
  multipleOf: figure(isMultiple, "a multiple of"),
  minLength: lengthLimit((length, limit) => length >= limit, "at least"),
  maxLength: lengthLimit((length, limit) => length <= limit, "at most"),
  pattern,
  allOf,
  anyOf,
  oneOf,
  not,
  ...objectKeywords,
  ...arrayKeywords,
};
