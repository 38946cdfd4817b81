import { operators } from "../../../access/access.ts";
import type { ConnectionTest } from "../../../models/connection-test.ts";
import { credentialSchema } from "../../../models/declared-upstream.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { findUpstream } from "./find-upstream.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const connectionTestSchema: Schema = {
  title: "ConnectionTest",
  type: "object",
  required: ["ok", "status", "duration_ms", "models", "names", "ids", "problem"],
  properties: {
    ok: { type: "boolean" },
    status: { type: "integer", nullable: true, description: "Of its answer; null where there was none." },
    duration_ms: { type: "integer" },
    models: { type: "integer", nullable: true, description: "How many models it lists." },
    names: { type: "array", items: { type: "string" }, description: "Its own names for them: the first 2,000." },
    ids: {
      type: "array",
      items: { type: "string" },
      description: "For each name, a short id for callers: the file's, where the name is a path.",
    },
    problem: { type: "string", nullable: true, description: "What is wrong, in words." },
  },
};

/** POST /api/upstreams/:id/test: calls an upstream with its credential and tells how it went. It answers 200 either way. */
export function testUpstream(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/upstreams/:id/test",
    access: operators("upstreams:write"),
    operationId: "testUpstream",
    summary: "Asks an upstream for its models, to see whether its address and credential are right.",
    reply: { status: 200, description: "How it went.", json: connectionTestSchema },
    async run({ param, exchange }) {
      const upstream = findUpstream(param("id"), platform);
      return viewTest(await platform.testUpstream(upstream, exchange.request.signal));
    },
  });
}

/** POST /api/upstreams/:id/credential/test: the same with a credential that is not set yet. It goes to the upstream's own address, and is not kept. */
export function testCredential(platform: Platform): Operation {
  return operation<{ readonly credential: string }>({
    method: "POST",
    path: "/api/upstreams/:id/credential/test",
    access: operators("upstreams:write"),
    operationId: "testCredential",
    summary: "Attempts another credential at an upstream, before it takes the place of the one that is set. It is not kept.",
    body: {
      title: "TestCredentialRequest",
      type: "object",
      additionalProperties: false,
      required: ["credential"],
      properties: { credential: credentialSchema },
    },
    reply: { status: 200, description: "How it went.", json: connectionTestSchema },
    async run({ param, body, exchange }) {
      const upstream = findUpstream(param("id"), platform);
      if (upstream.dialect === "echo") return refuseField(["credential"], "does not go with the dialect echo");
      const tried = { ...upstream, credentials: [new Secret(body.credential)] };
      return viewTest(await platform.testUpstream(tried, exchange.request.signal));
    },
  });
}

function viewTest({ durationMs, ...test }: ConnectionTest): Reply {
  return Reply.json({ ...test, duration_ms: durationMs });
}
