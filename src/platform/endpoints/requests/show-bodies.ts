import { operators } from "../../../access/access.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findRequest } from "./find-request.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const bodiesSchema: Schema = {
  title: "RequestBodies",
  type: "object",
  required: ["request_id", "request", "reply", "cut"],
  properties: {
    request_id: { type: "string" },
    request: { type: "string", nullable: true, description: "What was asked." },
    reply: { type: "string", nullable: true, description: "What was answered: JSON, or the events of a stream." },
    cut: { type: "boolean", description: "Whether something of either was too long to be kept." },
  },
};

/** GET /api/requests/:requestId/bodies: what was said, of an account that wants it kept. Looking at it is written down. */
export function showBodies(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests/:requestId/bodies",
    access: operators("bodies:read"),
    operationId: "showBodies",
    summary: "Shows what was asked and answered, where that is kept. It is recorded in the audit log.",
    reply: { status: 200, description: "The bodies.", json: bodiesSchema },
    async run({ actor, param, change }) {
      const { requestId, accountId } = await findRequest(param("requestId"), actor, platform);
      const bodies = await platform.requestLog.bodiesOf(requestId);
      if (!bodies) throw new GatewayError("unknown_request", "Of this request the bodies were not kept.");
      const looked = change("request.read_bodies", { kind: "request", id: requestId }, { before: null, after: null, accountId });
      await platform.auditLog.add(looked);
      return Reply.json({ request_id: requestId, request: bodies.request, reply: bodies.reply, cut: bodies.isCut });
    },
  });
}
