import type { Authorizer, OutgoingRequest } from "./authorizer.ts";
import { send, type UpstreamReply, type UpstreamRequest } from "./egress/send.ts";
import type { SentCredentials } from "./sent-credentials.ts";
import type { ByteText } from "../lib/text/byte-text.ts";

/** A request with the body of a call, or without one. */
export interface UnauthorizedRequest extends UpstreamRequest {
  readonly body?: readonly ByteText[];
}

/** Sends a request with the authorization of an identity: once more where the cloud rejected it for a reason that is mended by then. */
export async function sendAuthorized(request: UnauthorizedRequest, authorizer: Authorizer, sent: SentCredentials): Promise<UpstreamReply> {
  const authorization = await authorizer.authorize(outgoing(request));
  sent.add(authorization);
  const reply = await send({ ...request, headers: authorization.headers });
  if (reply.status === 200 || !(await authorization.isWorthRetrying(reply.status, reply.headers))) return reply;
  reply.cancel();
  const second = await authorizer.authorize(outgoing(request));
  sent.add(second);
  return send({ ...request, headers: second.headers });
}

function outgoing({ destination, path, body, headers }: UnauthorizedRequest): OutgoingRequest {
  const place = { host: destination.host, target: destination.basePath + path };
  if (body === undefined) return { ...place, method: "GET", headers, body };
  return { ...place, method: "POST", headers: { "content-type": "application/json", ...headers }, body };
}
