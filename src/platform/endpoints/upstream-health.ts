import { operators } from "../../access/access.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { COOLING_REASONS, ROUTE_STATES, type UpstreamHealth } from "../../models/upstream-health.ts";
import { operation, type Operation } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { findUpstream, identityHealthSchema, viewIdentity } from "./upstreams.ts";
import { DEVIATIONS, type Deviation, type DeviationCount } from "../../models/deviation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../paging.ts";
import type { ConnectionTest } from "../../models/connection-test.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { refuseField } from "./fields.ts";
import { kindAt, MODEL_KINDS } from "../../models/catalog.ts";
import { kindByName } from "../../models/kind-by-name.ts";
import { DOCTOR_CHECKS, OUTCOMES } from "../../models/doctor-report.ts";
import { plainTextSchema } from "../../lib/schema/plain-text.ts";
import { credentialSchema } from "../../models/identities/declared-identity.ts";

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

const credentialHealthSchema = {
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
      description: "Cooldown remaining, in milliseconds; with the `reason` `busy`, the longest cooldown in `models`.",
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

/** GET /api/upstreams/:id/health: the health of an upstream, as observed in the gateway's own calls. It makes no calls itself. */
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
          credentials: { type: "array", items: credentialHealthSchema, description: "The credentials, in the configured order." },
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
    models: models.map(({ upstreamModel, state, probeDueInMs, latencyMs, recent, ...model }) => ({
      model: upstreamModel,
      state,
      probe_in_ms: Math.ceil(probeDueInMs),
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

const deviationSchema = {
  title: "DeviationCount",
  type: "object",
  required: ["model", "deviation", "handling", "responses"],
  properties: {
    model: { type: "string", description: "The public name of the model." },
    deviation: { type: "string", enum: Object.keys(DEVIATIONS) },
    handling: {
      type: "string",
      enum: ["mended", "counted"],
      description: "`mended`: clients receive the repaired format. `counted`: it is passed through.",
    },
    responses: { type: "integer", description: "The number of responses with this deviation since startup." },
  },
} as const satisfies Schema;

/** GET /api/upstreams/:id/deviations: a page of an upstream's format deviations, by model. */
export function listDeviations(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/upstreams/:id/deviations",
    access: operators("upstreams:read"),
    operationId: "listDeviations",
    summary: "List the format deviations of an upstream's responses since startup",
    query: { model: { type: "string", description: "Deviations of one model, by its public name." }, ...pageQuery },
    reply: { status: 200, description: "A page of deviations.", json: pageSchema("DeviationPage", deviationSchema) },
    run({ param, query, cursors }) {
      const { id } = findUpstream(param("id"), platform);
      const { limit, after } = readPage(query, cursors, ["string", "string"]);
      const rows = platform
        .deviations()
        .filter(({ upstream, model }) => upstream === id && (query.model ?? model) === model)
        .flatMap(rowsOf);
      const isLeft = ({ model, deviation }: Row): boolean => !after || model > after[0] || (model === after[0] && deviation > after[1]);
      return toPage(
        cursors,
        rows.filter(isLeft),
        limit,
        (row) => row,
        ({ model, deviation }) => [model, deviation],
      );
    },
  });
}

interface Row {
  readonly model: string;
  readonly deviation: Deviation;
  readonly handling: "mended" | "counted";
  readonly responses: number;
}

function rowsOf({ model, counts }: DeviationCount): Row[] {
  const kinds = (Object.keys(counts) as Deviation[]).toSorted();
  return kinds.map((deviation) => ({ model, deviation, handling: DEVIATIONS[deviation], responses: counts[deviation]! }));
}

const connectionTestSchema = {
  title: "ConnectionTest",
  type: "object",
  required: ["ok", "checked", "status", "duration_ms", "models", "names", "ids", "problem", "identity"],
  properties: {
    ok: { type: "boolean" },
    checked: {
      type: "string",
      description: "The request that was made: for the list of models or, without a list, for a count of tokens or for credentials.",
    },
    status: { type: "integer", nullable: true, description: "The HTTP status; null without a response." },
    duration_ms: { type: "integer" },
    models: { type: "integer", nullable: true, description: "The number of listed models." },
    names: { type: "array", items: { type: "string" }, description: "The upstream models: the first 2,000." },
    ids: {
      type: "array",
      items: { type: "string" },
      description: "A short public id for each name: the file name, when the name is a path.",
    },
    problem: { type: "string", nullable: true, description: "The problem; null when the test succeeded." },
    identity: identityHealthSchema,
  },
} as const satisfies Schema;

/**
 * POST /api/upstreams/:id/test: lists an upstream's models to test its base URL and credential. The status is 200 even if the test fails.
 */
export function testUpstream(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/upstreams/:id/test",
    access: operators("upstreams:write"),
    operationId: "testUpstream",
    summary: "Test the connection to an upstream: obtain the credentials of its identity, and list its models",
    reply: { status: 200, description: "The result of the test.", json: connectionTestSchema },
    async run({ param, exchange }) {
      const upstream = findUpstream(param("id"), platform);
      return viewTest(await platform.testUpstream(upstream, exchange.request.signal));
    },
  });
}

/** POST /api/upstreams/:id/credential/test: the same with a new credential. It is sent to the upstream's own base URL, and not stored. */
export function testCredential(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/upstreams/:id/credential/test",
    access: operators("upstreams:write"),
    operationId: "testCredential",
    summary: "Test another credential before replacing the current one. It is not stored.",
    body: {
      title: "TestCredentialRequest",
      type: "object",
      additionalProperties: false,
      required: ["credential"],
      properties: { credential: credentialSchema },
    },
    reply: { status: 200, description: "The result of the test.", json: connectionTestSchema },
    async run({ param, body, exchange }) {
      const upstream = findUpstream(param("id"), platform);
      if (upstream.dialect === "echo") return refuseField(["credential"], "is not supported by the dialect echo");
      const tried = { ...upstream, identity: undefined, credentials: [new Secret(body.credential)] };
      return viewTest(await platform.testUpstream(tried, exchange.request.signal));
    },
  });
}

function viewTest({ durationMs, identity, ...test }: ConnectionTest) {
  return { ...test, duration_ms: durationMs, identity: viewIdentity(identity) };
}

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

/** POST /api/upstreams/:id/doctor: runs live checks on one of an upstream's models, before the model goes live or when it misbehaves. */
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
        kind: {
          type: "string",
          enum: MODEL_KINDS,
          description: "What the model is for. Default: the kind of a model with a route to it, otherwise the kind that its name suggests.",
        },
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
      // No idle timeout: a reasoning model may send nothing for a long time.
      exchange.setIdleTimeout(0);
      const kind = body.kind ?? kindAt(upstream.id, body.model, platform.catalog.snapshot()) ?? kindByName(body.model) ?? "chat";
      const { checks, ...report } = await platform.examineUpstream(upstream, body.model, kind, exchange.request.signal);
      return { ...report, checks: checks.map(({ durationMs, ...check }) => ({ ...check, duration_ms: durationMs })) };
    },
  });
}
