import { operators } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Mirror } from "../../../models/catalog.ts";
import { isWildcard } from "../../../models/model-id.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { summarizeMirror, type MirrorResult } from "../../../requests/mirror-result.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { readTime, timeSchema, viewTime } from "../fields/times.ts";
import { findModel } from "./find-model.ts";

const DEFAULT_SPAN_MS = 24 * 60 * 60 * 1000;

/** About 20 MB of results are read at most. */
const MAX_RESULTS = 20_000;

const ratio = { type: "number", nullable: true } as const satisfies Schema;

const reportSchema = {
  title: "MirrorReport",
  type: "object",
  required: [
    "model",
    "since",
    "requests",
    "same_status",
    "finished",
    "same_finish_reason",
    "prompt_token_ratio",
    "completion_token_ratio",
    "first_byte_ratio",
    "duration_ratio",
  ],
  properties: {
    model: { type: "string" },
    since: timeSchema,
    requests: {
      type: "integer",
      description: `The number of requests that the model's present mirror has received, among the newest ${MAX_RESULTS.toLocaleString("en")} mirrored ones. Without a mirror: those of all earlier mirrors.`,
    },
    same_status: { type: "integer", description: "Those where both responses have the same status." },
    finished: { type: "integer", description: "Those where either response has a finish reason." },
    same_finish_reason: { type: "integer", description: "Of these, those where both have the same." },
    prompt_token_ratio: {
      ...ratio,
      description: "The median of the mirror's prompt tokens divided by the caller's; null where none have both.",
    },
    completion_token_ratio: { ...ratio, description: "The same for completion tokens." },
    first_byte_ratio: { ...ratio, description: "The same for the time to first byte of streams." },
    duration_ratio: { ...ratio, description: "The same for the duration, where both responses have the status 200." },
  },
} as const satisfies Schema;

/** GET /api/models/:id/mirror: compares the mirror of a model with the responses of its callers. */
export function showMirrorReport(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/models/:id/mirror",
    access: operators("usage:read"),
    operationId: "showMirrorReport",
    summary: "Compare the responses of a model's mirror with those of its callers",
    query: { since: { type: "string", description: "Requests since this time. Default: 24 hours ago." } },
    reply: { status: 200, description: "The comparison.", json: reportSchema },
    async run({ actor, query, param }) {
      const { id, mirror } = findModel(param("id"), actor, platform);
      if (isWildcard(id)) throw wildcardRefused(id);
      const sinceMs = query.since === undefined ? platform.nowMs() - DEFAULT_SPAN_MS : readTime(query.since, "since");
      const results = await platform.reportLimit.run(actor, "request scan", () =>
        platform.requestLog.mirrorResults(id, sinceMs, MAX_RESULTS),
      );
      const summary = summarizeMirror(results.filter((result) => isOf(result, mirror)));
      return {
        model: id,
        since: viewTime(sinceMs),
        requests: summary.requests,
        same_status: summary.sameStatus,
        finished: summary.finished,
        same_finish_reason: summary.sameFinishReason,
        prompt_token_ratio: summary.promptTokenRatio,
        completion_token_ratio: summary.completionTokenRatio,
        first_byte_ratio: summary.firstByteRatio,
        duration_ratio: summary.durationRatio,
      };
    },
  });
}

function wildcardRefused(id: string): ApiError {
  return new ApiError("invalid_value", `${id} is a wildcard model. Compare one of the models that it stands for.`, { param: "id" });
}

/** Where route and mirror were exchanged, earlier results compare the other way around. All count where the model has no mirror any more. */
function isOf({ upstream, upstreamModel }: MirrorResult, mirror: Mirror | undefined): boolean {
  return mirror === undefined || (upstream === mirror.upstream && upstreamModel === mirror.upstreamModel);
}
