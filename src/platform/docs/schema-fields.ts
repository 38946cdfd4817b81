import type { OpenApiDocument, OpenApiSchema } from "./openapi-document.ts";

export interface Field {
  /** `data[].caps.day`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** Every field that a schema has, however deep. */
export function fieldsOf(schema: OpenApiSchema, document: OpenApiDocument, prefix = "", seen: readonly string[] = []): Field[] {
  const { $ref } = schema;
  // A schema that contains itself is told once.
  if ($ref !== undefined) return seen.includes($ref) ? [] : fieldsOf(resolve($ref, document), document, prefix, [...seen, $ref]);
  if (schema.oneOf) return schema.oneOf.flatMap((each) => fieldsOf(each, document, prefix, seen));
  if (schema.items) return fieldsOf(schema.items, document, `${prefix}[]`, seen);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    const told = property.$ref === undefined ? property : resolve(property.$ref, document);
    const isRequired = schema.required?.includes(name) ?? false;
    return [{ path, type: nameOfType(told), isRequired, description: told.description ?? "" }, ...fieldsOf(property, document, path, seen)];
  });
}

/** A type in words: `string or null`, `active | expired`, `array of string`. */
export function nameOfType(schema: OpenApiSchema): string {
  const name = schema.enum?.join(" | ") ?? (schema.items ? `array of ${nameOfType(schema.items)}` : (schema.type ?? "object"));
  return schema.nullable ? `${name} or null` : name;
}

function resolve($ref: string, document: OpenApiDocument): OpenApiSchema {
  return document.components.schemas[$ref.slice("#/components/schemas/".length)]!;
}
