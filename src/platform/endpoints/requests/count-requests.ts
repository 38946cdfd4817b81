import { members } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { MAX_SORTED } from "../../../stores/request-log/request-log-store.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { readRequestFilter, requestQuery } from "./request-filter.ts";

const countSchema = {
  title: "RequestCount",
  type: "object",
  required: ["count", "is_exact"],
  properties: {
    count: { type: "integer", description: "The number of matching requests." },
    is_exact: { type: "boolean", description: "False where there may be more: the newest were read, and the count was stopped." },
  },
} as const satisfies Schema;

/** GET /api/requests/count: how many requests the list has. */
export function countRequests(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests/count",
    access: members("usage:read"),
    operationId: "countRequests",
    summary: `Count requests: exactly by account, model and time, otherwise among the newest ${MAX_SORTED.toLocaleString("en")} or so`,
    query: requestQuery,
    isThrottled: true,
    reply: { status: 200, description: "The count.", json: countSchema },
    async run({ actor, query }) {
      const filter = readRequestFilter(query, actor, platform);
      if (!filter) return { count: 0, is_exact: true };
      const { count, isExact } = await platform.reportLimit.run(actor, "request scan", () => platform.requestLog.count(filter));
      return { count, is_exact: isExact };
    },
  });
}
