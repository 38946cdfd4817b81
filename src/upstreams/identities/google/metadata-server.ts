import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { callCloud } from "../call-cloud.ts";
import { IdentityFailure, type AccessToken } from "../credential-source.ts";
import { SCOPE } from "./google-endpoints.ts";
import { readTokenReply } from "./token-reply.ts";

const PATH = "/computeMetadata/v1/instance/service-accounts/default/token";

/** The access token of the service account of this machine, from the metadata server of Compute Engine, GKE and Cloud Run. */
export async function fromMetadataServer(origin: string, nowMs: () => number, signal: CancelSignal): Promise<AccessToken> {
  const url = `${origin}${PATH}?${new URLSearchParams({ scopes: SCOPE }).toString()}`;
  const reply = await callCloud({ url, headers: { "metadata-flavor": "Google" }, at: "metadata" }, signal);
  // Whatever else answers at this address is not to be believed.
  if (reply.headers.get("metadata-flavor") !== "Google") {
    throw new IdentityFailure("missing", `${origin} is not the metadata server of Google: its reply has no Metadata-Flavor: Google`);
  }
  if (reply.status === 404) throw new IdentityFailure("missing", "this machine has no service account: attach one to it");
  return readTokenReply(reply, "the metadata server", nowMs());
}

/** Where the metadata server is: a variable of Google's libraries may move it. */
export function metadataOrigin(host: string | undefined): string {
  if (host === undefined) return "http://169.254.169.254";
  const url = URL.parse(/^https?:\/\//.test(host) ? host : `http://${host}`);
  if (!url) throw new IdentityFailure("missing", "GCE_METADATA_HOST must be a host, with or without a port");
  return url.origin;
}
