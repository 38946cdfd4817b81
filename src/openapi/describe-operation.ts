import type { Contract, Endpoint, ReplyContract, ReplyHeaders } from "../http/endpoint.ts";
import { COMMON_HEADERS } from "../http/reply-headers.ts";
import { isDeepStrictEqual } from "node:util";
import type { Schema } from "../lib/schema/schema.ts";

/** The documented operations of endpoints, and the components that they refer to. */
interface DescribedOperations {
  readonly paths: object;
  readonly components: Readonly<Record<"schemas" | "responses" | "headers", object>>;
}

interface Components {
  readonly schemas: SchemaComponents;
  readonly responses: Record<string, object>;
  readonly headers: Record<string, object>;
}

/** Describes all endpoints that have a contract. `prefix` is the part of their paths that is already in the server's URL. */
export function describeOperations(endpoints: readonly Endpoint[], prefix: RegExp): DescribedOperations {
  const components: Components = { schemas: {}, responses: {}, headers: {} };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path: route, method, contract } of endpoints) {
    if (!contract) continue;
    const path = route.replace(prefix, "").replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(contract, route, components) };
  }
  const { schemas, responses, headers } = components;
  return { paths, components: { schemas: sorted(schemas), responses: sorted(responses), headers: sorted(headers) } };
}

function sorted(named: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => a.localeCompare(b)));
}

function describeOperation(contract: Contract, route: string, components: Components): object {
  const parameters = describeParameters(contract, route, components.schemas);
  const replies = Object.entries(contract.replies);
  return {
    operationId: contract.operationId,
    summary: contract.summary,
    ...(contract.access && describeAccess(contract.access)),
    ...(parameters.length > 0 && { parameters }),
    ...(contract.request && {
      requestBody: { required: true, content: { "application/json": { schema: publishSchema(contract.request, components.schemas) } } },
    }),
    responses: Object.fromEntries(replies.map(([status, reply]) => [status, publishReply(reply, components)])),
  };
}

function publishReply(reply: ReplyContract, components: Components): object {
  if (reply.name === undefined) return describeReply(reply, components);
  components.responses[reply.name] ??= describeReply(reply, components);
  return { $ref: `#/components/responses/${reply.name}` };
}

function describeReply({ description, headers, json, events, problem, others }: ReplyContract, components: Components): object {
  const schemas = Object.entries({
    ...(json && { "application/json": json }),
    ...(events && { "text/event-stream": events }),
    ...(problem && { "application/problem+json": problem }),
    ...others,
  });
  const content = schemas.map(([type, schema]) => [type, { schema: publishSchema(schema, components.schemas) }]);
  return {
    description,
    headers: publishHeaders({ ...COMMON_HEADERS, ...headers }, components),
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
  };
}

function publishHeaders(headers: ReplyHeaders, components: Components): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, ...schema }]) => {
      components.headers[name] = { description, schema: publishSchema(schema, components.schemas) };
      return [name, { $ref: `#/components/headers/${name}` }];
    }),
  );
}

function describeAccess(access: NonNullable<Contract["access"]>): object {
  if (access === "anyone") return { security: [] };
  if (access === "signed-in") return { description: "For everybody, with any credential." };
  if (access === "session") return { description: "For a person who is signed in with a browser.", security: [{ session: [] }] };
  if (access === "operator-token") return { description: "For the operator token alone." };
  return { description: `For ${access.role === "operator" ? "operators" : "operators and members"}. Scope: \`${access.scope}\`.` };
}

function describeParameters({ query, requestHeaders }: Contract, route: string, components: SchemaComponents): object[] {
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const inQuery = Object.entries(query ?? {}).map(([name, { description, ...schema }]) => {
    return { name, in: "query", required: false, description, schema: publishSchema(schema, components) };
  });
  const inHeader = Object.entries(requestHeaders ?? {}).map(([name, description]) => {
    return { name, in: "header", required: false, description, schema: { type: "string" } };
  });
  return [...inPath, ...inQuery, ...inHeader];
}

/** The named schemas of a document, by their names. */
export type SchemaComponents = Record<string, PublishedSchema>;

/** A schema in the form of OpenAPI 3.0.3. */
type PublishedSchema = Readonly<Record<string, unknown>>;

/** Publishes a schema. A schema with a title becomes a component, and a reference to it is returned. */
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

/**
 * OpenAPI 3.0.3 uses the regular expressions of ECMA-262 5.1, which have no Unicode properties: validators reject a document with such a
 * pattern.
 */
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

/** If two different schemas had the same name, one of them would be undocumented. */
function addComponent(name: string, published: PublishedSchema, components: SchemaComponents): void {
  const earlier = components[name] ?? published;
  if (!isDeepStrictEqual(earlier, published)) throw new Error(`Two different schemas have the title ${name}. Give one of them another.`);
  components[name] = published;
}
