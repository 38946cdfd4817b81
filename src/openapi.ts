import { gatewayEndpoints, optionalEndpoints } from "./gateway/app.ts";
import type { Gateway } from "./gateway/gateway.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { describeOperations } from "./openapi/describe-operation.ts";
import { INTERFACE_VERSION, INTERFACE_VERSION_WITH_ENDPOINTS } from "./openapi/interface-version.ts";
import { platformEndpoints } from "./platform/app.ts";
import type { Platform } from "./platform/platform.ts";
import { DEFAULT_URLS } from "./lib/net/public-address.ts";

// Contracts do not depend on the gateway, so none is needed to collect them.
const NO_GATEWAY = undefined as unknown as Gateway;

/** The public interface as an OpenAPI 3.0.3 document, generated from the same endpoints and schemas that serve and validate requests. */
export function gatewayDocument(): object {
  return documentOf(gatewayEndpoints(NO_GATEWAY), INTERFACE_VERSION);
}

/** The same document with the endpoints that operators can turn on. */
export function gatewayDocumentWithEndpoints(): object {
  return documentOf([...gatewayEndpoints(NO_GATEWAY), ...optionalEndpoints(NO_GATEWAY)], INTERFACE_VERSION_WITH_ENDPOINTS);
}

function documentOf(endpoints: readonly Endpoint[], version: string): object {
  const { paths, components } = describeOperations(endpoints, /^\/v1/);
  return {
    openapi: "3.0.3",
    info: {
      title: "Chat Completion Gateway API",
      version,
      description: "Calls language models through the chat-completions format. The last segment of the base URL is the major version.",
    },
    servers: [{ url: DEFAULT_URLS.gateway, description: "The gateway." }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "An API key that starts with `sk-service-`." } },
      ...components,
    },
  };
}

/** The platform API as a document of the same kind. */
export function platformDocument(): object {
  const { paths, components } = describeOperations(platformEndpoints(undefined as unknown as Platform), /^$/);
  return {
    openapi: "3.0.3",
    info: {
      title: "Tollgate Platform API",
      version: "1.0.0",
      description:
        "The management API for operators and members: accounts, credit, keys, models, upstreams and people. Clients that call models do not need it.",
    },
    servers: [{ url: DEFAULT_URLS.platform, description: "The platform." }],
    security: [{ bearer: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The operator token, or a personal access token with the required scope.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "tollgate_session",
          description:
            "Set by signing in. Its name is `__Host-tollgate` if the platform has an https:// address. Changes also need the header `x-tollgate-request`.",
        },
      },
      ...components,
    },
  };
}
