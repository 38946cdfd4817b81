import { truncate } from "../lib/text/truncate.ts";
import { ApiError } from "../requests/api-error.ts";
import type { EndedRequest, RequestObserver } from "../requests/request-notes.ts";
import { allowAnyOrigin } from "./cors.ts";
import type { Endpoint, ErrorFormat, Exchange } from "./endpoint.ts";
import { toErrorReply } from "./error-reply.ts";
import { IDLE_TIMEOUT_SECONDS } from "../lib/http1/server/deadlines.ts";
import { rejectLongHead } from "../lib/http1/server/read-head.ts";
import type { Reply } from "../lib/http1/server/reply.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";

/** The options of a listener that apply to every reply. */
export interface RespondOptions {
  readonly name: string;
  /** Called for each request when it has ended: log, metrics, traces. */
  readonly observers: readonly RequestObserver[];
  /** Called with an error of an observer. */
  readonly reportFailure: (thrown: unknown) => void;
  /** Whether pages of other origins may call. Safe only if the credential is a bearer key, never a cookie. */
  readonly openToBrowsers: boolean;
  readonly errorFormat: ErrorFormat;
  /** Headers of every reply. */
  readonly replyHeaders?: Readonly<Record<string, string>>;
  /** Whether a `Host` header names this server. If undefined, every `Host` is accepted. */
  readonly isOwnHost?: (host: string) => boolean;
  /** The clock of the machine by default. */
  readonly nowMs?: () => number;
}

const MAX_CLIENT_LENGTH = 200;

/** The parts of an endpoint that a reply needs. A rejected request has only these. */
export type Responder = Pick<Endpoint, "path" | "isProbe" | "errorFormat" | "handle">;

/** Runs an endpoint, turns errors into replies, and notifies the observers when the request has ended. */
export async function respond(endpoint: Responder, exchange: Exchange, options: RespondOptions): Promise<Reply> {
  const { headers, headerBytes } = exchange.request;
  let reply: Reply;
  try {
    rejectLongHead(headerBytes);
    refuseForeignHost(headers, options);
    reply = await endpoint.handle(exchange);
  } catch (error) {
    reply = refuse(error, endpoint, exchange, options);
  }
  exchange.notes.repliedAt = performance.now();
  reply = describeReply(reply, endpoint, exchange, options);
  reply.headers["x-request-id"] = exchange.requestId;
  // The name that clients of this format read.
  if (endpoint.errorFormat === "messages") reply.headers["request-id"] = exchange.requestId;
  if (options.replyHeaders) Object.assign(reply.headers, options.replyHeaders);
  if (exchange.contentSecurityPolicy !== undefined) reply.headers["content-security-policy"] = exchange.contentSecurityPolicy;
  if (exchange.isImmutable) reply.headers["cache-control"] = "public, max-age=31536000, immutable";
  if (options.openToBrowsers && headers.has("origin")) allowAnyOrigin(reply);
  if (exchange.ends) finishAfter(exchange.ends, endpoint, exchange, reply.status, options);
  else finish(endpoint, exchange, reply.status, options);
  return reply;
}

/**
 * Separate from `respond`: a function that contains a closure costs more even if the closure is not created. The closure lives as long as
 * the stream.
 */
function finishAfter(ends: Promise<void>, endpoint: Responder, exchange: Exchange, status: number, options: RespondOptions): void {
  void ends.catch(options.reportFailure).then(() => finish(endpoint, exchange, status, options));
}

function finish(endpoint: Responder, exchange: Exchange, status: number, options: RespondOptions): void {
  exchange.setIdleTimeout(IDLE_TIMEOUT_SECONDS);
  notify(describeEnd(endpoint, exchange, status, options), options);
}

/** Calls the observers. A failing observer must not break a reply that was charged, nor prevent the calls of the other observers. */
function notify(ended: EndedRequest, { observers, reportFailure }: RespondOptions): void {
  for (const observe of observers) {
    try {
      observe(ended);
    } catch (error) {
      reportFailure(error);
    }
  }
}

/** An error here must not leave the reply open: an unread stream would hold its resources for a minute. */
function describeReply(reply: Reply, endpoint: Responder, exchange: Exchange, options: RespondOptions): Reply {
  try {
    exchange.describeReply?.(reply.headers);
    return reply;
  } catch (error) {
    reply.cancel();
    return refuse(error, endpoint, exchange, options);
  }
}

/**
 * The error reply. It is written immediately, but the request may end later, when its connection can no longer be changed, so the timeout
 * is reset now.
 */
function refuse(thrown: unknown, endpoint: Responder, exchange: Exchange, options: RespondOptions): Reply {
  exchange.setIdleTimeout(IDLE_TIMEOUT_SECONDS);
  return toErrorReply(thrown, exchange, endpoint.errorFormat ?? options.errorFormat);
}

function describeEnd({ path, isProbe = false }: Responder, exchange: Exchange, status: number, options: RespondOptions): EndedRequest {
  const { request, requestId, startedAtMs, notes } = exchange;
  const client = request.headers.get("user-agent");
  return {
    listener: options.name,
    method: request.method,
    path,
    isProbe,
    requestId,
    status,
    startedAt: startedAtMs,
    endedAt: performance.now(),
    endedAtMs: (options.nowMs ?? Date.now)(),
    client: client === null ? undefined : truncate(client, MAX_CLIENT_LENGTH),
    notes,
  };
}

/**
 * Prevents DNS rebinding: a foreign page can point its domain name at this machine, and the browser would then treat Tollgate as that
 * page's server.
 */
function refuseForeignHost(headers: HeaderFields, { isOwnHost }: RespondOptions): void {
  const host = headers.get("host") ?? "";
  if (!isOwnHost || isOwnHost(host)) return;
  const detail = `it was called ${JSON.stringify(host.slice(0, 200))}`;
  throw new ApiError("misdirected_request", "This server does not answer to the name that it was called by.", { detail });
}
