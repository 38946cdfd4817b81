import { operators } from "../../../access/access.ts";
import { DEVIATIONS } from "../../../models/deviation.ts";
import { DOCTOR_CHECKS, OUTCOMES } from "../../../models/doctor-report.ts";
import { plainTextSchema } from "../../../lib/schema/plain-text.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findUpstream } from "./find-upstream.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const checkSchema: Schema = {
  title: "DoctorCheck",
  type: "object",
  required: ["name", "outcome", "duration_ms", "detail"],
  properties: {
    name: { type: "string", enum: DOCTOR_CHECKS },
    outcome: {
      type: "string",
      enum: OUTCOMES,
      description: "`failed`: callers would suffer. `warned`: it works, but not as one might expect. `skipped`: it could not be tried.",
    },
    duration_ms: { type: "integer" },
    detail: { type: "string", description: "What was seen, in words." },
  },
};

/** POST /api/upstreams/:id/doctor: tries live how one of an upstream's models answers, before it goes live or when it misbehaves. */
export function examineUpstream(platform: Platform): Operation {
  return operation<{ readonly model: string }>({
    method: "POST",
    path: "/api/upstreams/:id/doctor",
    access: operators("upstreams:write"),
    operationId: "examineUpstream",
    summary: "Attempts live how one of an upstream's models answers. It costs a few tokens there.",
    body: {
      title: "ExamineUpstreamRequest",
      type: "object",
      additionalProperties: false,
      required: ["model"],
      properties: {
        model: { ...plainTextSchema, minLength: 1, description: "The upstream's own name for it. It need not be in the catalog." },
      },
    },
    reply: {
      status: 200,
      description: "What was seen, however it went.",
      json: {
        title: "DoctorReport",
        type: "object",
        required: ["upstream", "model", "checks", "deviations", "tokens"],
        properties: {
          upstream: { type: "string" },
          model: { type: "string", description: "The upstream's own name for it." },
          checks: { type: "array", items: checkSchema },
          deviations: {
            type: "array",
            description: "In what its answers parted from their format. Most is mended on the way to callers.",
            items: { type: "string", enum: Object.keys(DEVIATIONS) },
          },
          tokens: { type: "integer", description: "What it took, as far as the upstream counted." },
        },
      },
    },
    async run({ param, body, exchange }) {
      const upstream = findUpstream(param("id"), platform);
      // A model that thinks is silent for long.
      exchange.setIdleTimeout(0);
      const { checks, ...report } = await platform.examineUpstream(upstream, body.model, exchange.request.signal);
      return Reply.json({ ...report, checks: checks.map(({ durationMs, ...check }) => ({ ...check, duration_ms: durationMs })) });
    },
  });
}
