import { operators } from "../../../access/access.ts";
import {
  describeUpstream,
  describeWithNewCredentials,
  credentialSchema,
  credentialsSchema,
  toCredentials,
} from "../../../models/declared-upstream.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import { credentialsOf, type UpstreamSettings } from "../../../models/upstream-settings.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { findOwnUpstream } from "./find-upstream.ts";
import { upstreamSchema, viewUpstream } from "./upstream-view.ts";

/** PUT /api/upstreams/:id/credential: replaces all credentials of an upstream, or its identity. Requests in flight keep theirs. */
export function replaceCredential(platform: Platform): Operation {
  return operation({
    method: "PUT",
    path: "/api/upstreams/:id/credential",
    access: operators("upstreams:write"),
    operationId: "replaceCredential",
    summary: "Replace the credentials or the identity of an upstream by other credentials, from the next request on",
    body: {
      title: "ReplaceCredentialRequest",
      type: "object",
      additionalProperties: false,
      properties: { credential: credentialSchema, credentials: credentialsSchema },
    },
    reply: { status: 200, description: "The updated upstream.", json: upstreamSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.catalog.updateUpstream(id, () => {
        const upstream = findOwnUpstream(id, platform);
        const credentials = toCredentials(body, refuseField);
        if (credentials.length === 0) throw new ApiError("missing_required_parameter", "credential is required.", { param: "credential" });
        const changed = withCredentials(upstream, credentials);
        const what = { before: describeUpstream(upstream), after: describeWithNewCredentials(changed) };
        return { record: changed, change: change("upstream.replace_credential", { kind: "upstream", id }, what) };
      });
      return viewUpstream(record, platform);
    },
  });
}

/** DELETE /api/upstreams/:id/credential: removes one credential, all of them, or the identity. */
export function removeCredential(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/upstreams/:id/credential",
    access: operators("upstreams:write"),
    operationId: "removeCredential",
    summary: "Remove one or all credentials of an upstream, or its identity, from the next request on",
    query: { last4: { type: "string", description: "Only the credential with these last four characters. Default: all of them." } },
    reply: { status: 200, description: "The updated upstream.", json: upstreamSchema },
    async run({ param, query, change }) {
      const id = param("id");
      const { record } = await platform.catalog.updateUpstream(id, () => {
        const upstream = findOwnUpstream(id, platform);
        const changed = withCredentials(upstream, remaining(upstream, query.last4));
        const what = { before: describeUpstream(upstream), after: describeUpstream(changed) };
        return { record: changed, change: change("upstream.remove_credential", { kind: "upstream", id }, what) };
      });
      return viewUpstream(record, platform);
    },
  });
}

/** The credentials but the one that ends in `last4`. With two of the same last characters, none is removed by chance. */
function remaining(upstream: UpstreamSettings, last4: string | undefined): readonly Secret[] {
  if (last4 === undefined) return [];
  const all = credentialsOf(upstream);
  const found = all.filter((each) => each.lastFour() === last4);
  if (found.length === 1) return all.filter((each) => each !== found[0]);
  const count = found.length === 0 ? "no credential ends" : `${found.length} credentials end`;
  return refuseField(["last4"], `must identify one credential of ${upstream.id}: ${count} in it`);
}

export function withCredentials(upstream: UpstreamSettings, credentials: readonly Secret[]): UpstreamSettings {
  return upstream.dialect === "echo"
    ? refuseField(["credential"], "is not supported by the dialect echo")
    : { ...upstream, credentials, identity: undefined };
}
