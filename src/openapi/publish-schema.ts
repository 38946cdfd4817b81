import { isDeepStrictEqual } from "node:util";
import type { Schema } from "../lib/schema/schema.ts";

/** The named schemas of a document, by their names. */
export type SchemaComponents = Record<string, PublishedSchema>;

/** A schema in the form of OpenAPI 3.0.3. */
export type PublishedSchema = Readonly<Record<string, unknown>>;

/** Publishes a schema. One with a title becomes a component, and a reference to it is returned. */
export function publishSchema(schema: Schema, components: SchemaComponents): PublishedSchema {
  const published = { ...publishOwn(schema), ...publishParts(schema, components) };
  if (schema.title === undefined) return published;
  addComponent(schema.title, published, components);
  return { $ref: `#/components/schemas/${schema.title}` };
}

function publishOwn(schema: Schema): PublishedSchema {
  const { title: _title, patternInWords, isSecret: _secret, form: _form, reserved: _reserved, propertyNames: _names, ...rest } = schema;
  const { items: _items, properties: _properties, oneOf: _oneOf, additionalProperties, pattern, description, ...own } = rest;
  const isPortable = pattern === undefined || !NEEDS_UNICODE_FLAG.test(pattern);
  const rule = isPortable || patternInWords === undefined ? undefined : `Must be ${patternInWords}.`;
  const words = [description, rule].filter((each) => each !== undefined).join(" ");
  return {
    ...own,
    ...(own.enum && own.nullable && { enum: [...own.enum, null] }),
    ...(pattern !== undefined && isPortable && { pattern }),
    ...(additionalProperties === false && { additionalProperties }),
    ...(words !== "" && { description: words }),
  };
}

/** OpenAPI 3.0.3 has the expressions of ECMA-262 5.1, which know no Unicode properties: validators reject a document with such a pattern. */
const NEEDS_UNICODE_FLAG = /\\p\{/i;

function publishParts({ items, properties, oneOf, additionalProperties }: Schema, components: SchemaComponents): PublishedSchema {
  return {
    ...(items && { items: publishSchema(items, components) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, publishSchema(property, components)])),
    }),
    ...(additionalProperties && { additionalProperties: publishSchema(additionalProperties, components) }),
    ...(oneOf && { oneOf: oneOf.map((alternative) => publishSchema(alternative, components)) }),
  };
}

/** Two different schemas of one name would leave one of them undocumented. */
function addComponent(name: string, published: PublishedSchema, components: SchemaComponents): void {
  const earlier = components[name] ?? published;
  if (!isDeepStrictEqual(earlier, published)) throw new Error(`Two different schemas have the title ${name}. Give one of them another.`);
  components[name] = published;
}
