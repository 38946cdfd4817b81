import { isFields, memberPath, type Fields, type Keyword, type KeywordPlace, type SchemaProblem } from "./place.ts";

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

export const objectKeywords: Readonly<Record<string, Keyword>> = { properties, additionalProperties, required };
