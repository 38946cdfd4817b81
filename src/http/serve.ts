import type { BunRequest, Server } from "bun";
import { beginningOf } from "../vocabulary/beginning-of.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import { RequestNotes, type EndedRequest, type RequestObserver } from "../vocabulary/request-notes.ts";
import { allowAnyOrigin, answerPreflight } from "./cors.ts";
import type { Endpoint, Exchange } from "./endpoint.ts";
import { toErrorReply, type ErrorFormat } from "./error-reply.ts";
import { hideSecrets } from "./hide-secrets.ts";

export interface ListenerOptions {
  readonly name: string;
  readonly hostname: string;
  readonly port: number;
  readonly endpoints: readonly Endpoint[];
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
  /** Who calls, of a connection from this address with these headers. Without it, that address does. */
  readonly callerOf?: (peer: string, headers: Headers) => string;
}

export interface Listener {
  readonly url: string;
  readonly pendingRequests: number;
  /** Stops accepting, and resolves when the requests under way have been answered. */
  drain(): Promise<void>;
  /** Ends every connection now. */
  close(): Promise<void>;
}

/** What a connection has before it has shown a key, and again after each answer. */
const IDLE_TIMEOUT_SECONDS = 30;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CLIENT_LENGTH = 200;

/** Opens a listener on a table of endpoints. What is not in the table does not exist. */
export function serve(options: ListenerOptions): Listener {
  const server = Bun.serve({
    hostname: options.hostname,
    port: options.port,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    // Bun's own refusal has no body: `readJson` applies the limit instead, in words.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // Otherwise, outside development, Bun would let a second process take every other connection of this port.
    reusePort: false,
    routes: toRoutes(options),
    fetch: (request, from) => answerUnrouted(request as BunRequest, from, options),
  });
  return {
    url: `http://${reachable(options.hostname)}:${server.port}`,
    get pendingRequests() {
      return server.pendingRequests;
    },
    drain: () => server.stop(),
    close: () => server.stop(true),
  };
}

/** An address that stands for every interface is reached on this machine's own. */
export function reachable(hostname: string): string {
  if (hostname === "0.0.0.0") return "127.0.0.1";
  if (hostname === "::") return "[::1]";
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}

type Handler = (request: BunRequest, from: Server<undefined>) => Promise<Response>;

function toRoutes(options: ListenerOptions): Record<string, Record<string, Handler>> {
  const routes: Record<string, Record<string, Handler>> = {};
  for (const endpoint of options.endpoints) {
    routes[endpoint.path] = { ...routes[endpoint.path], [endpoint.method]: (request, from) => answer(endpoint, request, from, options) };
  }
  return routes;
}

/** Everything that no route matched: a preflight, a sloppy path, a wrong method, or nothing of ours. */
function answerUnrouted(request: BunRequest, from: Server<undefined>, options: ListenerOptions): Promise<Response> {
  const path = tidyPath(request.url);
  const candidates = options.endpoints.filter((endpoint) => matches(endpoint.path, path));
  // Nobody means a path that is written as ours are: what stands for an id in it would be missing.
  const meant = candidates.find(({ method, path: own }) => method === request.method && own === path && !own.includes(":"));
  const isPreflight = options.openToBrowsers && request.method === "OPTIONS";
  const endpoint = isPreflight ? preflight(path, candidates) : (meant ?? refusing(request.method, path, candidates, options));
  return answer(endpoint, request, from, options);
}

/** As much of an endpoint as answering takes; what is refused has no more. */
type Answerer = Pick<Endpoint, "path" | "isProbe" | "handle">;

async function answer(endpoint: Answerer, request: BunRequest, from: Server<undefined>, options: ListenerOptions): Promise<Response> {
  const exchange: Exchange = {
    request,
    // Version 7 counts up with time, so that an index over many of them grows at its end.
    requestId: `req_${Bun.randomUUIDv7()}`,
    startedAtMs: performance.now(),
    notes: new RequestNotes(),
    allowSilence: (seconds) => from.timeout(request, seconds),
    callerAddress: () => findCaller(request, from, options),
  };
  let response: Response;
  try {
    refuseLongHeaders(request.headers);
    refuseForeignHost(request.headers, options);
    response = await endpoint.handle(exchange);
  } catch (error) {
    response = refuse(error, exchange, options);
  }
  exchange.notes.repliedAt = performance.now();
  response = describeReply(response, exchange, options);
  response.headers.set("x-request-id", exchange.requestId);
  for (const name in options.replyHeaders) response.headers.set(name, options.replyHeaders[name]!);
  if (options.openToBrowsers && request.headers.has("origin")) allowAnyOrigin(response);
  const finish = (): void => {
    exchange.allowSilence(IDLE_TIMEOUT_SECONDS);
    tell(describeEnd(endpoint, exchange, response.status, options), options);
  };
  if (exchange.ends) void exchange.ends.catch(options.reportFailure).then(finish);
  else finish();
  return response;
}

/** An observer that fails must neither spoil an answer that was paid for, nor keep the others from hearing of it. */
function tell(ended: EndedRequest, { observers, reportFailure }: ListenerOptions): void {
  for (const observe of observers) {
    try {
      observe(ended);
    } catch (error) {
      reportFailure(error);
    }
  }
}

/** What cannot be said of a reply must not leave it hanging: a stream that nobody reads would hold what it has for a minute. */
function describeReply(response: Response, exchange: Exchange, options: ListenerOptions): Response {
  try {
    exchange.describeReply?.(response.headers);
    return response;
  } catch (error) {
    void response.body?.cancel();
    return refuse(error, exchange, options);
  }
}

/** A refusal leaves at once, though its request may end later: then there is nothing left by which to reach the connection. */
function refuse(thrown: unknown, exchange: Exchange, { errorFormat }: ListenerOptions): Response {
  exchange.allowSilence(IDLE_TIMEOUT_SECONDS);
  return toErrorReply(thrown, exchange, errorFormat);
}

function findCaller(request: BunRequest, from: Server<undefined>, { callerOf }: ListenerOptions): string | null {
  const peer = from.requestIP(request)?.address ?? null;
  return peer !== null && callerOf ? callerOf(peer, request.headers) : peer;
}

function describeEnd({ path, isProbe = false }: Answerer, exchange: Exchange, status: number, { name }: ListenerOptions): EndedRequest {
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
    client: client === null ? undefined : beginningOf(client, MAX_CLIENT_LENGTH),
    notes,
  };
}

/** The question a browser asks before it sends; it brings no key. */
function preflight(path: string, candidates: readonly Endpoint[]): Answerer {
  return { path, isProbe: true, handle: ({ request }) => answerPreflight(request, candidates) };
}

function refusing(method: string, path: string, candidates: readonly Endpoint[], { endpoints }: ListenerOptions): Answerer {
  const shown = withoutSecrets(path).slice(0, 200);
  return {
    path: shown,
    handle() {
      if (candidates.length === 0 || candidates.some((endpoint) => endpoint.method === method)) throw unknownUrl(endpoints);
      const allow = candidates.map((endpoint) => endpoint.method).join(", ");
      throw new GatewayError("method_not_allowed", `${shown} does not take ${method}, only ${allow}.`, { headers: { allow } });
    },
  };
}

/** Links break: `/welcome#…` comes as `/welcome%23…` from some mail programs, and would bring what opens it into the log. */
function withoutSecrets(path: string): string {
  return hideSecrets(path).replaceAll(/[0-9A-Za-z]{40,}/g, "…");
}

/** Names the public endpoints, if they are few: most who come here have left `/v1` out of their base address. */
function unknownUrl(endpoints: readonly Endpoint[]): GatewayError {
  const known = endpoints.filter((endpoint) => endpoint.contract).map((endpoint) => `${endpoint.method} ${endpoint.path}`);
  const hint = known.length > 3 ? "" : ` There is ${known.join(" and ")}.`;
  return new GatewayError("unknown_url", `There is nothing at this address.${hint}`);
}

/** The path of a request without repeated or trailing slashes: some clients join their base address carelessly. */
function tidyPath(url: string): string {
  const path = url.replace(/^https?:\/\/[^/]*/, "").replace(/[?#].*$/s, "");
  return path.replaceAll(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
}

/** Whether a path such as `/api/keys/:id` covers this one. */
function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return wanted.length === given.length && wanted.every((step, at) => step.startsWith(":") || step === given[at]);
}

/** A page of somebody else's can have its own name point at this machine: the browser would take us for that page's server. */
function refuseForeignHost(headers: Headers, { isOwnHost }: ListenerOptions): void {
  const host = headers.get("host") ?? "";
  if (!isOwnHost || isOwnHost(host)) return;
  const detail = `it was called ${JSON.stringify(host.slice(0, 200))}`;
  throw new GatewayError("misdirected_request", "This server does not answer to the name that it was called by.", { detail });
}

function refuseLongHeaders(headers: Headers): void {
  let bytes = 0;
  headers.forEach((value, name) => {
    bytes += name.length + value.length + 4;
  });
  if (bytes > MAX_HEADER_BYTES) {
    throw new GatewayError("request_too_large", `The request headers are larger than ${MAX_HEADER_BYTES} bytes.`);
  }
}
