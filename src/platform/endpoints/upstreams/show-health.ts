import { operators } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { COOLING_REASONS, ROUTE_STATES, type UpstreamHealth } from "../../../models/upstream-health.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findUpstream } from "./find-upstream.ts";
import { identityHealthSchema, viewIdentity } from "./identity-view.ts";

const modelSchema = {
  title: "ModelHealth",
  type: "object",
  required: ["model", "state", "probe_in_ms", "in_flight", "latency_ms", "recent_calls", "recent_failures"],
  properties: {
    model: { type: "string", description: "The upstream model." },
    state: {
      type: "string",
      enum: ROUTE_STATES,
      description:
        "Circuit breaker: `healthy`; `ejected` because it failed too often; or `probing`, when the next call decides whether it has recovered.",
    },
    probe_in_ms: { type: "integer", description: "Milliseconds until an ejected model is probed." },
    in_flight: { type: "integer" },
    latency_ms: { type: "integer", nullable: true, description: "Time to first byte of the last response; null when there was none." },
    recent_calls: { type: "integer", description: "The number of recent calls, at most twenty." },
    recent_failures: { type: "integer", description: "The number of failed calls among the recent ones." },
  },
} as const satisfies Schema;

const rateLimitSchema = {
  title: "RateLimitCooldown",
  type: "object",
  required: ["model", "cooldown_ms"],
  properties: {
    model: { type: "string", description: "The upstream model." },
    cooldown_ms: { type: "integer", description: "Cooldown remaining, in milliseconds." },
  },
} as const satisfies Schema;

const credentialSchema = {
  title: "CredentialHealth",
  type: "object",
  required: ["last4", "cooldown_ms", "reason", "models"],
  properties: {
    last4: {
      type: "string",
      nullable: true,
      description: "The last four characters; null for a credential with fewer than twelve, or for none.",
    },
    cooldown_ms: {
      type: "integer",
      description: "Cooldown remaining, in milliseconds; with the `reason` `busy` the longest of those in `models`.",
    },
    reason: {
      type: "string",
      nullable: true,
      enum: COOLING_REASONS,
      description:
        "`busy`: the credential has reached its rate limit for the models in `models`, and can be used for others. `credential`: it was rejected, or is out of funds, for every model.",
    },
    models: { type: "array", items: rateLimitSchema, description: "The models whose rate limit is reached, by name." },
  },
} as const satisfies Schema;

/** GET /api/upstreams/:id/health: the health of an upstream, as observed by the gateway's own calls. It sends none. */
export function showHealth(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/upstreams/:id/health",
    access: operators("upstreams:read"),
    operationId: "showUpstreamHealth",
    summary: "Show the health of an upstream: calls in flight, ejected models, and credentials in cooldown",
    reply: {
      status: 200,
      description: "The current health, as observed since startup or since the last change of the settings.",
      json: {
        title: "UpstreamHealth",
        type: "object",
        required: ["upstream", "in_flight", "queued", "models", "credentials", "identity"],
        properties: {
          upstream: { type: "string" },
          in_flight: { type: "integer", description: "Calls in flight." },
          queued: { type: "integer", description: "Calls waiting for a free slot." },
          models: { type: "array", items: modelSchema, description: "The models that were called, by name." },
          credentials: { type: "array", items: credentialSchema, description: "The credentials, in the configured order." },
          identity: identityHealthSchema,
        },
      },
    },
    run({ param }) {
      const upstream = findUpstream(param("id"), platform);
      return { upstream: upstream.id, ...viewHealth(platform.upstreamHealth(upstream)) };
    },
  });
}

function viewHealth({ inFlight, queued, models, credentials, identity }: UpstreamHealth) {
  return {
    in_flight: inFlight,
    queued,
    models: models.map(({ upstreamModel, state, dueInMs, latencyMs, recent, ...model }) => ({
      model: upstreamModel,
      state,
      probe_in_ms: Math.ceil(dueInMs),
      in_flight: model.inFlight,
      latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
      recent_calls: recent.calls,
      recent_failures: recent.failures,
    })),
    credentials: credentials.map(({ last4, coolForMs, reason, models: limited }) => ({
      last4,
      cooldown_ms: Math.ceil(coolForMs),
      reason: reason ?? null,
      models: limited.map((each) => ({ model: each.upstreamModel, cooldown_ms: Math.ceil(each.coolForMs) })),
    })),
    identity: viewIdentity(identity),
  };
}
