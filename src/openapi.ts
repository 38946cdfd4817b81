import { gatewayEndpoints } from "./gateway/app.ts";
import type { Gateway } from "./gateway/gateway.ts";
import type { Contract, Endpoint } from "./http/endpoint.ts";
import { platformEndpoints } from "./platform/app.ts";
import type { Platform } from "./platform/platform.ts";
import type { Schema } from "./vocabulary/schema.ts";

/** The public interface as an OpenAPI 3.0.3 document, made of the same endpoints and schemas that answer and check requests. */
export function gatewayDocument(): object {
  // Contracts say nothing of the gateway behind them, so none is needed to gather them.
  const { paths, schemas } = describe(gatewayEndpoints(undefined as unknown as Gateway), /^\/v1/);
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
      schemas,
    },
  };
}

/** The business API, in the same way. */
export function platformDocument(): object {
  const { paths, schemas } = describe(platformEndpoints(undefined as unknown as Platform), /^$/);
  return {
    openapi: "3.0.3",
    info: {
      title: "Tollgate Platform API",
      version: "1.0.0",
      description: "What operators and members do: accounts, credit, keys, models, upstreams, people. Model-calling clients never see it.",
    },
    servers: [{ url: "/", description: "The platform's own listener." }],
    security: [{ bearer: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The operator token, or a personal access token with the scope that is asked for.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "tollgate_session",
          description:
            "Set by signing in. Its name is `__Host-tollgate` where the platform has an https:// address. Changes also need the header `x-tollgate-request`.",
        },
      },
      schemas,
    },
  };
}

function describe(endpoints: readonly Endpoint[], prefix: RegExp): { paths: object; schemas: object } {
  const components: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path: route, method, contract } of endpoints) {
    if (!contract) continue;
    const path = route.replace(prefix, "").replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(contract, route, components) };
  }
  return { paths, schemas: Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => a.localeCompare(b))) };
}

function describeOperation(contract: Contract, route: string, components: Record<string, unknown>): object {
  const replies = Object.entries(contract.replies).map(([status, { description, json, events, problem, others }]) => {
    const content = {
      ...(json && { "application/json": { schema: publish(json, components) } }),
      ...(events && { "text/event-stream": { schema: publish(events, components) } }),
      ...(problem && { "application/problem+json": { schema: publish(problem, components) } }),
      ...Object.fromEntries(Object.entries(others ?? {}).map(([type, schema]) => [type, { schema: publish(schema, components) }])),
    };
    return [
      status,
      { description, headers: describeHeaders(contract.replyHeaders), ...(Object.keys(content).length > 0 && { content }) },
    ] as const;
  });
  const parameters = describeParameters(contract, route, components);
  return {
    operationId: contract.operationId,
    summary: contract.summary,
    ...(contract.access && describeAccess(contract.access)),
    ...(parameters.length > 0 && { parameters }),
    ...(contract.request && {
      requestBody: { required: true, content: { "application/json": { schema: publish(contract.request, components) } } },
    }),
    responses: Object.fromEntries(replies),
  };
}

function describeAccess(access: NonNullable<Contract["access"]>): object {
  if (access === "anyone") return { security: [] };
  if (access === "signed-in") return { description: "For everybody, with any credential." };
  if (access === "session") return { description: "For a person who is signed in with a browser.", security: [{ session: [] }] };
  return { description: `For ${access.role === "operator" ? "operators" : "operators and members"}. Scope: \`${access.scope}\`.` };
}

function describeParameters({ query, requestHeaders }: Contract, route: string, components: Record<string, unknown>): object[] {
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const inQuery = Object.entries(query ?? {}).map(([name, { description, ...schema }]) => {
    return { name, in: "query", required: false, description, schema: publish(schema, components) };
  });
  const inHeader = Object.entries(requestHeaders ?? {}).map(([name, description]) => {
    return { name, in: "header", required: false, description, schema: { type: "string" } };
  });
  return [...inPath, ...inQuery, ...inHeader];
}

function describeHeaders(headers: Contract["replyHeaders"]): object {
  const all = { "x-request-id": "Names the request in the log and on its receipt.", ...headers };
  return Object.fromEntries(Object.entries(all).map(([name, description]) => [name, { description, schema: { type: "string" } }]));
}

/** A schema as the document has it: what has a title moves to the components and leaves a reference. */
function publish(schema: Schema, components: Record<string, unknown>): object {
  const { title, items, properties, oneOf, patternInWords: _words, isSecret: _secret, form: _form, reserved: _reserved, ...rest } = schema;
  const published = {
    ...rest,
    ...(items && { items: publish(items, components) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, publish(property, components)])),
    }),
    ...(rest.additionalProperties && { additionalProperties: publish(rest.additionalProperties, components) }),
    ...(oneOf && { oneOf: oneOf.map((alternative) => publish(alternative, components)) }),
  };
  if (title === undefined) return published;
  components[title] = published;
  return { $ref: `#/components/schemas/${title}` };
}
