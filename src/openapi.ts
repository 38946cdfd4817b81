import { gatewayEndpoints } from "./gateway/app.ts";
import type { Gateway } from "./gateway/gateway.ts";
import type { Contract } from "./http/endpoint.ts";
import type { Schema } from "./vocabulary/schema.ts";

/** The public interface as an OpenAPI 3.0.3 document, made of the same endpoints and schemas that answer and check requests. */
export function gatewayDocument(): object {
  // Contracts say nothing of the gateway behind them, so none is needed to gather them.
  const endpoints = gatewayEndpoints(undefined as unknown as Gateway);
  const components: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    if (!endpoint.contract) continue;
    const path = endpoint.path.replace(/^\/v1/, "");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint.contract, components) };
  }
  return {
    openapi: "3.0.3",
    info: {
      title: "Chat Completion Gateway API",
      version: "1.0.0",
      description: "Calls language models through the chat-completions format.",
    },
    servers: [{ url: "/v1", description: "The last segment of the base address is the major version." }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "An API key that starts with `sk-service-`." } },
      schemas: Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => a.localeCompare(b))),
    },
  };
}

function describeOperation(contract: Contract, components: Record<string, unknown>): object {
  const replies = Object.entries(contract.replies).map(([status, { description, json, events }]) => {
    const content = {
      "application/json": { schema: publish(json, components) },
      ...(events && { "text/event-stream": { schema: publish(events, components) } }),
    };
    return [status, { description, headers: describeHeaders(contract.replyHeaders), content }] as const;
  });
  const parameters = Object.entries(contract.requestHeaders ?? {}).map(([name, description]) => {
    return { name, in: "header", required: false, description, schema: { type: "string" } };
  });
  return {
    operationId: contract.operationId,
    summary: contract.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(contract.request && {
      requestBody: { required: true, content: { "application/json": { schema: publish(contract.request, components) } } },
    }),
    responses: Object.fromEntries(replies),
  };
}

function describeHeaders(headers: Contract["replyHeaders"]): object {
  const all = { "x-request-id": "Names the request in the log and on its receipt.", ...headers };
  return Object.fromEntries(Object.entries(all).map(([name, description]) => [name, { description, schema: { type: "string" } }]));
}

/** A schema as the document has it: what has a title moves to the components and leaves a reference. */
function publish(schema: Schema, components: Record<string, unknown>): object {
  const { title, items, properties, oneOf, patternInWords: _words, isSecret: _secret, ...rest } = schema;
  const published = {
    ...rest,
    ...(items && { items: publish(items, components) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, publish(property, components)])),
    }),
    ...(oneOf && { oneOf: oneOf.map((alternative) => publish(alternative, components)) }),
  };
  if (title === undefined) return published;
  components[title] = published;
  return { $ref: `#/components/schemas/${title}` };
}
