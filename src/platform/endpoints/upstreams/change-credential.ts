import { operators } from "../../../vocabulary/access.ts";
import { describeUpstream, describeWithNewCredential, credentialSchema } from "../../../vocabulary/declared-upstream.ts";
import { Secret } from "../../../vocabulary/secret.ts";
import type { UpstreamSettings } from "../../../vocabulary/upstream-settings.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { findOwnUpstream } from "./find-upstream.ts";
import { upstreamSchema, viewUpstream } from "./upstream-view.ts";

/** PUT /api/upstreams/:id/credential: puts another credential in the place of the one that is set. Calls under way keep theirs. */
export function replaceCredential(platform: Platform): Operation {
  return operation<{ readonly credential: string }>({
    method: "PUT",
    path: "/api/upstreams/:id/credential",
    access: operators("upstreams:write"),
    operationId: "replaceCredential",
    summary: "Gives an upstream another credential, from the next request on.",
    body: {
      title: "ReplaceCredentialRequest",
      type: "object",
      additionalProperties: false,
      required: ["credential"],
      properties: { credential: credentialSchema },
    },
    reply: { status: 200, description: "The upstream as it is now.", json: upstreamSchema },
    async run({ body, param, change }) {
      const upstream = findOwnUpstream(param("id"), platform);
      const changed = withCredential(upstream, new Secret(body.credential));
      const what = { before: describeUpstream(upstream), after: describeWithNewCredential(changed) };
      const target = { kind: "upstream", id: upstream.id } as const;
      await platform.catalog.putUpstream(changed, change("upstream.replace_credential", target, what));
      return Response.json(viewUpstream(changed, platform));
    },
  });
}

/** DELETE /api/upstreams/:id/credential: forgets it. */
export function removeCredential(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/upstreams/:id/credential",
    access: operators("upstreams:write"),
    operationId: "removeCredential",
    summary: "Takes an upstream's credential away, from the next request on.",
    reply: { status: 200, description: "The upstream as it is now.", json: upstreamSchema },
    async run({ param, change }) {
      const upstream = findOwnUpstream(param("id"), platform);
      const changed = withCredential(upstream, undefined);
      const what = { before: describeUpstream(upstream), after: describeUpstream(changed) };
      const target = { kind: "upstream", id: upstream.id } as const;
      await platform.catalog.putUpstream(changed, change("upstream.remove_credential", target, what));
      return Response.json(viewUpstream(changed, platform));
    },
  });
}

function withCredential(upstream: UpstreamSettings, credential: Secret | undefined): UpstreamSettings {
  return upstream.dialect === "echo" ? refuseField(["credential"], "does not go with the dialect echo") : { ...upstream, credential };
}
