import type { Authorizer } from "./authorizer.ts";
import { send, type UpstreamReply, type UpstreamRequest } from "./egress/send.ts";
import type { ByteText } from "../lib/text/byte-text.ts";

/** A request with the body of a call, or without one. */
export interface UnauthorizedRequest extends UpstreamRequest {
  readonly body?: readonly ByteText[];
}

/** Sends a request with the authorization of an identity: once more where the cloud rejected it for a reason that is mended by then. */
export async function sendAuthorized(request: UnauthorizedRequest, authorizer: Authorizer): Promise<UpstreamReply> {
  const reply = await send(await authorized(request, authorizer));
  if (reply.status === 200 || !(await authorizer.isWorthRetrying(reply.status, reply.headers))) return reply;
  reply.cancel();
  return send(await authorized(request, authorizer));
}

async function authorized(request: UnauthorizedRequest, authorizer: Authorizer): Promise<UpstreamRequest> {
  const { destination, path, body } = request;
  const headers = body === undefined ? request.headers : { "content-type": "application/json", ...request.headers };
  const outgoing = { host: destination.host, target: destination.basePath + path, headers, body } as const;
  return { ...request, headers: await authorizer.authorize({ ...outgoing, method: body === undefined ? "GET" : "POST" }) };
}
