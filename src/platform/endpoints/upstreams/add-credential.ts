import { operators } from "../../../access/access.ts";
import { credentialSchema, describeUpstream, MAX_CREDENTIALS } from "../../../models/declared-upstream.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import { credentialsOf, identityOf, type UpstreamSettings } from "../../../models/upstream-settings.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { findOwnUpstream } from "./find-upstream.ts";
import { withCredentials } from "./change-credential.ts";
import { upstreamSchema, viewUpstream } from "./upstream-view.ts";

/** POST /api/upstreams/:id/credential: adds a credential beside the others, which need not be entered again. */
export function addCredential(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/upstreams/:id/credential",
    access: operators("upstreams:write"),
    operationId: "addCredential",
    summary: "Add a credential to an upstream. Requests are load-balanced across its credentials.",
    body: {
      title: "AddCredentialRequest",
      type: "object",
      additionalProperties: false,
      required: ["credential"],
      properties: { credential: credentialSchema },
    },
    reply: { status: 200, description: "The updated upstream.", json: upstreamSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.catalog.updateUpstream(id, () => {
        const upstream = findOwnUpstream(id, platform);
        const changed = withCredential(upstream, new Secret(body.credential));
        const what = { before: describeUpstream(upstream), after: describeUpstream(changed) };
        return { record: changed, change: change("upstream.add_credential", { kind: "upstream", id }, what) };
      });
      return viewUpstream(record, platform);
    },
  });
}

function withCredential(upstream: UpstreamSettings, added: Secret): UpstreamSettings {
  const credentials = credentialsOf(upstream);
  if (identityOf(upstream)) refuseField(["credential"], "does not go with the identity of the upstream. Replace the identity instead");
  if (credentials.some((each) => each.equals(added))) refuseField(["credential"], "is already set");
  if (credentials.length >= MAX_CREDENTIALS) refuseField(["credential"], `cannot be added: an upstream has at most ${MAX_CREDENTIALS}`);
  return withCredentials(upstream, [...credentials, added]);
}
