import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** The content type by which Prometheus recognizes the text format. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export const METRICS_PATH = "/metrics";

/** GET /metrics, the default path of Prometheus. */
export function showMetrics(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: METRICS_PATH,
    access: operators("metrics:read"),
    operationId: "showMetrics",
    summary: "Get all metrics in the Prometheus text format",
    reply: {
      status: 200,
      description: "The Prometheus text format, `text/plain; version=0.0.4`.",
      others: { "text/plain": { type: "string" } },
    },
    isProbe: true,
    async run() {
      return new Reply(await platform.metrics(), { headers: { "content-type": CONTENT_TYPE } });
    },
  });
}
