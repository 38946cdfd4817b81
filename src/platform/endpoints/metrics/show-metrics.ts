import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** What Prometheus goes by when it reads the text. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** GET /metrics, where Prometheus looks by itself. */
export function showMetrics(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/metrics",
    access: operators("metrics:read"),
    operationId: "showMetrics",
    summary: "Gives all that is measured, as Prometheus reads it.",
    reply: {
      status: 200,
      description: "The text format of Prometheus, `text/plain; version=0.0.4`.",
      others: { "text/plain": { type: "string" } },
    },
    isProbe: true,
    async run() {
      return new Reply(await platform.metrics(), { headers: { "content-type": CONTENT_TYPE } });
    },
  });
}
