import { operators } from "../../../access/access.ts";
import type { ConnectionTest } from "../../../models/connection-test.ts";
import { credentialSchema } from "../../../models/declared-upstream.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { findUpstream } from "./find-upstream.ts";
import { identityHealthSchema, viewIdentity } from "./identity-view.ts";

const connectionTestSchema = {
  title: "ConnectionTest",
  type: "object",
  required: ["ok", "checked", "status", "duration_ms", "models", "names", "ids", "problem", "identity"],
  properties: {
    ok: { type: "boolean" },
    checked: {
      type: "string",
      description: "What was checked: the list of models, or where there is none, a count of tokens or the credentials.",
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

/** POST /api/upstreams/:id/test: lists an upstream's models to test its base URL and credential. The status is 200 either way. */
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
