import type { Authorizer, OutgoingRequest } from "./authorizer.ts";
import { Deadlines } from "./egress/deadlines.ts";
import { send, type UpstreamReply, type UpstreamRequest } from "./egress/send.ts";
import type { SentCredentials } from "./sent-credentials.ts";
import type { ByteText } from "../lib/text/byte-text.ts";

/** A request with the body of a call, or without one. */
export interface UnauthorizedRequest extends UpstreamRequest {
  readonly body?: readonly ByteText[];
}

/**
 * Sends a request with the authorization of an identity: and once more if the cloud rejected it for a reason that has been fixed by then.
 * The timeouts cover both requests and the wait for credentials.
 */
export async function sendAuthorized(
  request: UnauthorizedRequest,
  authorizer: Pick<Authorizer, "authorize">,
  sent: SentCredentials,
): Promise<UpstreamReply> {
  const timed = { ...request, startedAtMs: performance.now() };
  const first = await inTime(authorizer.authorize(toOutgoingRequest(request)), timed);
  sent.add(first);
  const reply = await send({ ...timed, headers: first.headers });
  try {
    if (reply.status === 200 || !(await inTime(first.isWorthRetrying(reply.status, reply.headers), timed))) return reply;
  } catch (error) {
    reply.cancel();
    throw error;
  }
  reply.cancel();
  const second = await inTime(authorizer.authorize(toOutgoingRequest(request)), timed);
  sent.add(second);
  return send({ ...timed, headers: second.headers });
}

type TimeLimits = Pick<UpstreamRequest, "signal" | "timeouts" | "streaming" | "startedAtMs">;

/** Waits for credentials no longer than for a response. After a timeout, the credentials are still obtained, for later requests. */
async function inTime<Result>(
  pending: Result | Promise<Result>,
  { signal, timeouts, streaming, startedAtMs }: TimeLimits,
): Promise<Result> {
  if (!(pending instanceof Promise)) return pending;
  const deadlines = new Deadlines(signal, { ...timeouts, totalMs: Number.POSITIVE_INFINITY });
  deadlines.expect("credentials", streaming ? Math.min(timeouts.firstByteMs, timeouts.totalMs) : timeouts.totalMs, startedAtMs);
  try {
    return await deadlines.waitForShared(pending);
  } finally {
    deadlines.stop();
  }
}

function toOutgoingRequest({ destination, path, body, headers }: UnauthorizedRequest): OutgoingRequest {
  const place = { host: destination.host, target: destination.basePath + path };
  if (body === undefined) return { ...place, method: "GET", headers, body };
  return { ...place, method: "POST", headers: { "content-type": "application/json", ...headers }, body };
}
