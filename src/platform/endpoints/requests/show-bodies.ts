import { operators } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findRequest } from "./find-request.ts";

const bodiesSchema = {
  title: "RequestBodies",
  type: "object",
  required: ["request_id", "request", "reply", "truncated"],
  properties: {
    request_id: { type: "string" },
    request: { type: "string", nullable: true, description: "The request body." },
    reply: { type: "string", nullable: true, description: "The response body: JSON, or the events of a stream." },
    truncated: { type: "boolean", description: "Whether either body was truncated because of its size." },
  },
} as const satisfies Schema;

/**
 * GET /api/requests/:requestId/bodies: the logged prompt and response, when the account has prompt and response logging. Access is
 * audited.
 */
export function showBodies(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests/:requestId/bodies",
    access: operators("bodies:read"),
    operationId: "showBodies",
    summary: "Show the logged prompt and response. Access is recorded in the audit log.",
    reply: { status: 200, description: "The bodies.", json: bodiesSchema },
    async run({ actor, param, change }) {
      const { requestId, accountId } = await findRequest(param("requestId"), actor, platform);
      const bodies = await platform.requestLog.bodiesOf(requestId);
      if (!bodies) throw new ApiError("unknown_request", "The prompt and response of this request were not logged.");
      const looked = change("request.read_bodies", { kind: "request", id: requestId }, { before: null, after: null, accountId });
      await platform.auditLog.add(looked);
      return { request_id: requestId, request: bodies.request, reply: bodies.reply, truncated: bodies.isCut };
    },
  });
}
