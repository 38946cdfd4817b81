import { members } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findRequest } from "./find-request.ts";
import { mirrorsFor } from "./mirror-view.ts";
import { requestInFullSchema, viewAttempt, viewRequest } from "./request-view.ts";

/** GET /api/requests/:requestId: the request log's record of one request. */
export function showRequest(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests/:requestId",
    access: members("usage:read"),
    operationId: "showRequest",
    summary: "Show a request: its outcome, its attempts, and the time each part took",
    reply: { status: 200, description: "The request.", json: requestInFullSchema },
    async run({ actor, param }) {
      const request = await findRequest(param("requestId"), actor, platform);
      const { requestId, attempts } = request;
      const hasReceipt = (await platform.ledgerRecords.findRequest(requestId)) !== undefined;
      const mirrors = await mirrorsFor(actor, [request], platform);
      const view = { ...viewRequest(request, actor, platform, mirrors), receipt: hasReceipt ? `/api/receipts/${requestId}` : null };
      if (actor.role !== "operator") return view;
      const hasBodies = await platform.requestLog.hasBodies(requestId);
      const bodies = hasBodies ? `/api/requests/${requestId}/bodies` : null;
      return { ...view, trace_id: request.traceId, all_attempts: attempts.map(viewAttempt), bodies };
    },
  });
}
