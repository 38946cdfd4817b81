import { operators } from "../../../vocabulary/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findUpstream } from "./find-upstream.ts";

/** POST /api/upstreams/:id/test: calls an upstream with its credential and tells how it went. It answers 200 either way. */
export function testUpstream(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/upstreams/:id/test",
    access: operators("upstreams:write"),
    operationId: "testUpstream",
    summary: "Asks an upstream for its models, to see whether its address and credential are right.",
    reply: {
      status: 200,
      description: "How it went.",
      json: {
        title: "ConnectionTest",
        type: "object",
        required: ["ok", "status", "duration_ms", "models", "problem"],
        properties: {
          ok: { type: "boolean" },
          status: { type: "integer", nullable: true, description: "Of its answer; null where there was none." },
          duration_ms: { type: "integer" },
          models: { type: "integer", nullable: true, description: "How many models it lists." },
          problem: { type: "string", nullable: true, description: "What is wrong, in words." },
        },
      },
    },
    async run({ param, exchange }) {
      const upstream = findUpstream(param("id"), platform);
      const { durationMs, ...test } = await platform.testUpstream(upstream, exchange.request.signal);
      return Response.json({ ...test, duration_ms: durationMs });
    },
  });
}
