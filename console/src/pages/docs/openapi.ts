/** The subset of OpenAPI that our two documents use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** A reference to a component. */
interface Reference {
  readonly $ref: string;
}

interface DescribedValue {
  readonly description?: string;
  readonly schema?: Schema;
}

export interface Parameter extends DescribedValue {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
}

export interface ReplyDescription {
  readonly description: string;
  readonly headers?: Readonly<Record<string, DescribedValue>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, ReplyDescription>>;
}

interface PublishedReply extends Omit<ReplyDescription, "headers"> {
  readonly headers?: Readonly<Record<string, DescribedValue | Reference>>;
}

interface PublishedOperation extends Omit<Operation, "responses"> {
  readonly responses: Readonly<Record<string, PublishedReply | Reference>>;
}

export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, PublishedReply>>;
    readonly headers: Readonly<Record<string, DescribedValue>>;
  };
}

export interface PlacedOperation extends Operation {
  readonly method: string;
  readonly path: string;
}

export function operationsIn(document: OpenApi): PlacedOperation[] {
  const { paths, servers } = document;
  const start = (URL.parse(servers?.[0]?.url ?? "")?.pathname ?? "").replace(/\/$/, "");
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      responses: mapValues(operation.responses, (reply) => resolveReply(reply, document)),
      method: method.toUpperCase(),
      path: `${start}${path}`,
    })),
  );
}

function resolveReply(published: PublishedReply | Reference, { components }: OpenApi): ReplyDescription {
  const { headers = {}, ...reply } = "$ref" in published ? components.responses[nameOf(published.$ref)]! : published;
  return { ...reply, headers: mapValues(headers, (header) => ("$ref" in header ? components.headers[nameOf(header.$ref)]! : header)) };
}

function mapValues<From, To>(named: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, map(value)]));
}

/** Resolves a schema reference. */
export function resolve(schema: Schema, { components }: OpenApi): Schema {
  if (!schema.$ref) return schema;
  return components.schemas[nameOf(schema.$ref)] ?? {};
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** The type in words: "list of strings", "“a” or “b”", "string or null". */
export function typeOf(schema: Schema, document: OpenApi): string {
  const type = bareTypeOf(schema, document);
  return resolve(schema, document).nullable ? `${type} or null` : type;
}

function bareTypeOf(schema: Schema, document: OpenApi): string {
  const { type, enum: values, oneOf, items } = resolve(schema, document);
  if (oneOf) return [...new Set(oneOf.map((one) => typeOf(one, document)))].join(" or ");
  if (values)
    return values
      .filter((value) => value !== null)
      .map((value) => JSON.stringify(value))
      .join(", ");
  if (type === "array") return `list of ${plural(items ? bareTypeOf(items, document) : "value")}`;
  return type ?? "any value";
}

function plural(type: string): string {
  return /^(string|object|integer|number|boolean|value)$/.test(type) ? `${type}s` : type;
}

/** The fields of an object, of a list's items, or of all alternatives. */
export function fieldsOf(schema: Schema, document: OpenApi): readonly (readonly [name: string, field: Schema, isRequired: boolean])[] {
  const { properties, required = [], items, oneOf } = resolve(schema, document);
  if (properties) return Object.entries(properties).map(([name, field]) => [name, field, required.includes(name)] as const);
  if (items) return fieldsOf(items, document);
  return (oneOf ?? []).flatMap((one) => fieldsOf(one, document));
}

/** The default and the bounds, in words. */
export function boundsOf({ default: given, minimum, maximum, maxLength }: Schema): string {
  const bounds = [
    given !== undefined && `default ${JSON.stringify(given)}`,
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
  ];
  return bounds.filter(Boolean).join(", ");
}
