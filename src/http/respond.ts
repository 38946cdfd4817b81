import { truncate } from "../lib/text/truncate.ts";
import { GatewayError } from "../requests/gateway-error.ts";
import type { EndedRequest, RequestObserver } from "../requests/request-notes.ts";
import { allowAnyOrigin } from "./cors.ts";
import type { Endpoint, Exchange } from "./endpoint.ts";
import { toErrorReply, type ErrorFormat } from "./error-reply.ts";
import { IDLE_TIMEOUT_SECONDS } from "../lib/http1/server/deadlines.ts";
import { rejectLongHead } from "../lib/http1/server/read-head.ts";
import type { Reply } from "../lib/http1/server/reply.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";

/** What all answers of a listener have in common. */
export interface RespondOptions {
  readonly name: string;
  /** Those who hear of each request when it has ended: the log is one of them. */
  readonly observers: readonly RequestObserver[];
  /** Hears what went wrong when a request that was answered was told of. */
  readonly reportFailure: (thrown: unknown) => void;
  /** Whether pages of other origins may call. Safe only where a bearer key, never a cookie, is the credential. */
  readonly openToBrowsers: boolean;
  readonly errorFormat: ErrorFormat;
  /** Headers of every reply. */
  readonly replyHeaders?: Readonly<Record<string, string>>;
  /** Whether a `Host` header means us. Without it all do. */
  readonly isOwnHost?: (host: string) => boolean;
}

const MAX_CLIENT_LENGTH = 200;

/** As much of an endpoint as answering takes; what is refused has no more. */
export type Responder = Pick<Endpoint, "path" | "isProbe" | "handle">;

/** Has an endpoint answer a request, makes a reply of whatever it throws, and tells the observers when it has ended. */
export async function respond(endpoint: Responder, exchange: Exchange, options: RespondOptions): Promise<Reply> {
  const { headers, headerBytes } = exchange.request;
  let reply: Reply;
  try {
    rejectLongHead(headerBytes);
    refuseForeignHost(headers, options);
    reply = await endpoint.handle(exchange);
  } catch (error) {
    reply = refuse(error, exchange, options);
  }
  exchange.notes.repliedAt = performance.now();
  reply = describeReply(reply, exchange, options);
  reply.headers["x-request-id"] = exchange.requestId;
  if (options.replyHeaders) Object.assign(reply.headers, options.replyHeaders);
  if (exchange.isForEver) reply.headers["cache-control"] = "public, max-age=31536000, immutable";
  if (options.openToBrowsers && headers.has("origin")) allowAnyOrigin(reply);
  if (exchange.ends) finishAfter(exchange.ends, endpoint, exchange, reply.status, options);
  else finish(endpoint, exchange, reply.status, options);
  return reply;
}

/** Apart from `answer`: a function with a closure in it costs more, also where the closure is not made. It is held for as long as a stream is. */
function finishAfter(ends: Promise<void>, endpoint: Responder, exchange: Exchange, status: number, options: RespondOptions): void {
  void ends.catch(options.reportFailure).then(() => finish(endpoint, exchange, status, options));
}

function finish(endpoint: Responder, exchange: Exchange, status: number, options: RespondOptions): void {
  exchange.setIdleTimeout(IDLE_TIMEOUT_SECONDS);
  tell(describeEnd(endpoint, exchange, status, options), options);
}

/** An observer that fails must neither spoil an answer that was paid for, nor keep the others from hearing of it. */
function tell(ended: EndedRequest, { observers, reportFailure }: RespondOptions): void {
  for (const observe of observers) {
    try {
      observe(ended);
    } catch (error) {
      reportFailure(error);
    }
  }
}

/** What cannot be said of a reply must not leave it hanging: a stream that nobody reads would hold what it has for a minute. */
function describeReply(reply: Reply, exchange: Exchange, options: RespondOptions): Reply {
  try {
    exchange.describeReply?.(reply.headers);
    return reply;
  } catch (error) {
    reply.cancel();
    return refuse(error, exchange, options);
  }
}

/** A refusal leaves at once, though its request may end later: then there is nothing left by which to reach the connection. */
function refuse(thrown: unknown, exchange: Exchange, { errorFormat }: RespondOptions): Reply {
  exchange.setIdleTimeout(IDLE_TIMEOUT_SECONDS);
  return toErrorReply(thrown, exchange, errorFormat);
}

function describeEnd({ path, isProbe = false }: Responder, exchange: Exchange, status: number, { name }: RespondOptions): EndedRequest {
  const { request, requestId, startedAtMs, notes } = exchange;
  const client = request.headers.get("user-agent");
  return {
    listener: name,
    method: request.method,
    path,
    isProbe,
    requestId,
    status,
    startedAt: startedAtMs,
    endedAt: performance.now(),
    endedAtMs: Date.now(),
    client: client === null ? undefined : truncate(client, MAX_CLIENT_LENGTH),
    notes,
  };
}

/** A page of somebody else's can have its own name point at this machine: the browser would take us for that page's server. */
function refuseForeignHost(headers: HeaderFields, { isOwnHost }: RespondOptions): void {
  const host = headers.get("host") ?? "";
  if (!isOwnHost || isOwnHost(host)) return;
  const detail = `it was called ${JSON.stringify(host.slice(0, 200))}`;
  throw new GatewayError("misdirected_request", "This server does not answer to the name that it was called by.", { detail });
}
