import { operators } from "../../../access/access.ts";
import { DEVIATIONS } from "../../../models/deviation.ts";
import { DOCTOR_CHECKS, OUTCOMES } from "../../../models/doctor-report.ts";
import { plainTextSchema } from "../../../lib/schema/plain-text.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findUpstream } from "./find-upstream.ts";

const checkSchema = {
  title: "DoctorCheck",
  type: "object",
  required: ["name", "outcome", "duration_ms", "detail"],
  properties: {
    name: { type: "string", enum: DOCTOR_CHECKS },
    outcome: {
      type: "string",
      enum: OUTCOMES,
      description: "`failed`: clients would see errors. `warned`: it works with restrictions. `skipped`: the check could not run.",
    },
    duration_ms: { type: "integer" },
    detail: { type: "string", description: "The finding." },
  },
} as const satisfies Schema;

/** POST /api/upstreams/:id/doctor: runs live checks on one of an upstream's models, before it goes live or when it misbehaves. */
export function examineUpstream(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/upstreams/:id/doctor",
    access: operators("upstreams:write"),
    operationId: "examineUpstream",
    summary: "Run the doctor: check an upstream model with live requests. It costs a few tokens at the upstream.",
    body: {
      title: "ExamineUpstreamRequest",
      type: "object",
      additionalProperties: false,
      required: ["model"],
      properties: {
        model: { ...plainTextSchema, minLength: 1, description: "The upstream model. It need not be in the catalog." },
      },
    },
    reply: {
      status: 200,
      description: "The findings, whatever they are.",
      json: {
        title: "DoctorReport",
        type: "object",
        required: ["upstream", "model", "checks", "deviations", "tokens"],
        properties: {
          upstream: { type: "string" },
          model: { type: "string", description: "The upstream model." },
          checks: { type: "array", items: checkSchema },
          deviations: {
            type: "array",
            description: "Format deviations in its responses. Most of them are mended before clients receive them.",
            items: { type: "string", enum: Object.keys(DEVIATIONS) },
          },
          tokens: { type: "integer", description: "The tokens used, as reported by the upstream." },
        },
      },
    },
    async run({ param, body, exchange }) {
      const upstream = findUpstream(param("id"), platform);
      // No idle timeout: a reasoning model is silent for long.
      exchange.setIdleTimeout(0);
      const { checks, ...report } = await platform.examineUpstream(upstream, body.model, exchange.request.signal);
      return { ...report, checks: checks.map(({ durationMs, ...check }) => ({ ...check, duration_ms: durationMs })) };
    },
  });
}
