import { operators } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { COOLING_REASONS, ROUTE_STATES, type UpstreamHealth } from "../../../models/upstream-health.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findUpstream } from "./find-upstream.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const modelSchema: Schema = {
  title: "ModelHealth",
  type: "object",
  required: ["model", "state", "due_in_ms", "in_flight", "latency_ms", "recent_calls", "recent_failures"],
  properties: {
    model: { type: "string", description: "The upstream's own name for it." },
    state: {
      type: "string",
      enum: ROUTE_STATES,
      description: "`in` use; `out`, because it failed too often; or `due` for a call that shows whether it is back.",
    },
    due_in_ms: { type: "integer", description: "When one that is out is due." },
    in_flight: { type: "integer" },
    latency_ms: { type: "integer", nullable: true, description: "What its last answer took to begin; null where there was none." },
    recent_calls: { type: "integer", description: "Twenty at most." },
    recent_failures: { type: "integer", description: "How many of them have failed." },
  },
};

const rateLimitSchema: Schema = {
  title: "RateLimitCooldown",
  type: "object",
  required: ["model", "cooling_for_ms"],
  properties: {
    model: { type: "string", description: "The upstream's own name for it." },
    cooling_for_ms: { type: "integer", description: "The cooldown that remains." },
  },
};

const credentialSchema: Schema = {
  title: "CredentialHealth",
  type: "object",
  required: ["last4", "cooling_for_ms", "reason", "models"],
  properties: {
    last4: {
      type: "string",
      nullable: true,
      description: "Its last four characters; null where it has fewer than twelve, or there is none.",
    },
    cooling_for_ms: {
      type: "integer",
      description: "The cooldown that remains; where `reason` is `busy`, the longest of those in `models`.",
    },
    reason: {
      type: "string",
      nullable: true,
      enum: COOLING_REASONS,
      description:
        "`busy`: it has reached the rate limit of the models in `models`, and can be used for others. `credential`: it was refused, or has no money behind it, for every model.",
    },
    models: { type: "array", items: rateLimitSchema, description: "The models whose rate limit it has reached, by name." },
  },
};

/** GET /api/upstreams/:id/health: how an upstream fares, as far as is known from calling it. It calls nobody. */
export function showHealth(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/upstreams/:id/health",
    access: operators("upstreams:read"),
    operationId: "showUpstreamHealth",
    summary: "Shows how an upstream fares: what is under way, which of its models are left out, and which credentials.",
    reply: {
      status: 200,
      description: "As it is at this moment. What is known begins with the start of the gateway, and anew when the settings change.",
      json: {
        title: "UpstreamHealth",
        type: "object",
        required: ["upstream", "in_flight", "queued", "models", "credentials"],
        properties: {
          upstream: { type: "string" },
          in_flight: { type: "integer", description: "Calls under way." },
          queued: { type: "integer", description: "Calls that wait for one of those to end." },
          models: { type: "array", items: modelSchema, description: "Those that were asked for, by name." },
          credentials: { type: "array", items: credentialSchema, description: "In the order in which they were given." },
        },
      },
    },
    run({ param }) {
      const upstream = findUpstream(param("id"), platform);
      return Reply.json({ upstream: upstream.id, ...viewHealth(platform.upstreamHealth(upstream)) });
    },
  });
}

function viewHealth({ inFlight, queued, models, credentials }: UpstreamHealth): Record<string, unknown> {
  return {
    in_flight: inFlight,
    queued,
    models: models.map(({ upstreamModel, state, dueInMs, latencyMs, recent, ...model }) => ({
      model: upstreamModel,
      state,
      due_in_ms: Math.ceil(dueInMs),
      in_flight: model.inFlight,
      latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
      recent_calls: recent.calls,
      recent_failures: recent.failures,
    })),
    credentials: credentials.map(({ last4, coolForMs, reason, models: limited }) => ({
      last4,
      cooling_for_ms: Math.ceil(coolForMs),
      reason: reason ?? null,
      models: limited.map((each) => ({ model: each.upstreamModel, cooling_for_ms: Math.ceil(each.coolForMs) })),
    })),
  };
}
