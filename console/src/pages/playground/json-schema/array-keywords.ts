import { canonical, type Keyword } from "./place.ts";

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Each item, except those that `prefixItems` describes. */
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

export const arrayKeywords: Readonly<Record<string, Keyword>> = { items, prefixItems, minItems, maxItems, uniqueItems };
