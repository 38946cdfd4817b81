import { operators } from "../../access/access.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { OPTIONAL_ENDPOINTS, type OptionalEndpoint } from "../../money/attribution.ts";
import { ApiError } from "../../requests/api-error.ts";
import { MODEL_PATHS } from "../../requests/request-notes.ts";
import { operation, type Operation } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { refuseManagedElsewhere } from "./fields.ts";

const endpointSchema = {
  title: "OptionalEndpoint",
  type: "object",
  required: ["id", "path", "enabled", "managed_by"],
  properties: {
    id: { type: "string", enum: OPTIONAL_ENDPOINTS },
    path: { type: "string", description: "The path at the gateway." },
    enabled: { type: "boolean", description: "Whether the gateway serves it. Otherwise it is a 404." },
    managed_by: {
      type: "string",
      enum: ["operator", "file"],
      description: "`file` if the config file turns it on: then it can be turned off only there.",
    },
  },
} as const satisfies Schema;

function viewEndpoint(id: OptionalEndpoint, { catalog }: Platform) {
  return { id, path: MODEL_PATHS[id], enabled: catalog.endpoints().has(id), managed_by: catalog.originOfEndpoint(id) };
}

/** GET /api/endpoints */
export function listEndpoints(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/endpoints",
    access: operators("models:read"),
    operationId: "listEndpoints",
    summary: "List the endpoints of the gateway that can be turned on and off",
    reply: {
      status: 200,
      description: "The endpoints.",
      json: {
        title: "OptionalEndpointList",
        type: "object",
        required: ["data"],
        properties: { data: { type: "array", items: endpointSchema } },
      },
    },
    run: () => ({ data: OPTIONAL_ENDPOINTS.map((id) => viewEndpoint(id, platform)) }),
  });
}

const requestSchema = {
  title: "UpdateEndpointRequest",
  type: "object",
  additionalProperties: false,
  required: ["enabled"],
  properties: { enabled: endpointSchema.properties.enabled },
} as const satisfies Schema;

/** PATCH /api/endpoints/:id: turns an endpoint on or off. Requests in flight finish. */
export function updateEndpoint(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/endpoints/:id",
    access: operators("models:write"),
    operationId: "updateEndpoint",
    summary: "Turn an endpoint of the gateway on or off. Requests in flight finish.",
    body: requestSchema,
    reply: { status: 200, description: "The endpoint.", json: endpointSchema },
    async run({ body: { enabled }, param, change }) {
      const id = findEndpoint(param("id"));
      await platform.catalog.updateEndpoint(id, (isOn) => {
        refuseManagedElsewhere("endpoint", id, platform.catalog.originOfEndpoint(id), platform);
        if (isOn === enabled) return undefined;
        const what = { before: { id, enabled: !enabled }, after: { id, enabled } };
        return { record: enabled, change: change("endpoint.update", { kind: "endpoint", id }, what) };
      });
      return viewEndpoint(id, platform);
    },
  });
}

function findEndpoint(id: string): OptionalEndpoint {
  const found = OPTIONAL_ENDPOINTS.find((each) => each === id);
  if (found) return found;
  throw new ApiError("unknown_url", `The endpoints that can be turned on and off are ${OPTIONAL_ENDPOINTS.join(" and ")}.`);
}
