import { ApiError } from "../requests/api-error.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";
import { RequestNotes } from "../requests/request-notes.ts";
import { respond, type Responder, type RespondOptions } from "./respond.ts";
import { answerPreflight } from "./cors.ts";
import type { Endpoint, Exchange, Method } from "./endpoint.ts";
import { toErrorReply } from "./error-reply.ts";
import { redactSecrets } from "./redact-secrets.ts";
import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";
import type { Reply } from "../lib/http1/server/reply.ts";
import { Http1Listener, type ListenOptions } from "../lib/http1/server/listener.ts";
import type { ConnectionCounts } from "../lib/http1/server/open-connections.ts";
import type { ServerRequest } from "../lib/http1/server/server-request.ts";

export interface ListenerOptions extends RespondOptions, Omit<ListenOptions, "handle" | "refuse"> {
  readonly endpoints: readonly Endpoint[];
  /** The base path, such as `/tollgate`, for a proxy that does not strip it. Paths without it are served too. */
  readonly basePath?: string;
  /** A page to send instead of the 404, if any. */
  readonly pageForUnknown?: (request: IncomingRequest) => Promise<Reply> | undefined;
  /** A hint for the 404 of this path, as sentences; undefined if there is none. */
  readonly hintForUnknown?: (path: string) => string | undefined;
  /** The client address behind a proxy, of a connection from this address with these headers. */
  readonly callerOf?: (peer: string | null, headers: HeaderFields) => string | null;
}

/** Where a listener can be reached: whether it uses TLS, and its unix socket, if it has one. */
interface ReachableListener {
  readonly hostname: string;
  readonly port: number;
  readonly socket?: object | undefined;
  readonly tls?: object | undefined;
}

export interface Listener {
  readonly url: string;
  readonly pendingRequests: number;
  readonly connections: ConnectionCounts;
  readonly isDraining: boolean;
  /** Accepts no more connections, and resolves when no request is in flight. */
  drain(): Promise<void>;
  /** Accepts no more connections, and reads no more requests. */
  finish(): void;
  /** Ends every connection now. */
  close(): Promise<void>;
}

/** Starts a listener with a table of endpoints. Nothing else is reachable. */
export function serve(options: ListenerOptions): Listener {
  const routes = new Routes(options.endpoints, options.basePath);
  const listener = new Http1Listener({
    ...options,
    handle: (request) => handleRequest(request, routes, options),
    refuse: (thrown) => refuseUnread(thrown, options),
  });
  return {
    url: urlOf({ ...options, port: listener.port }),
    get pendingRequests() {
      return listener.pending;
    },
    get connections() {
      return listener.counts;
    },
    get isDraining() {
      return listener.isDraining;
    },
    drain: () => listener.drain(),
    finish: () => listener.finish(),
    close: () => listener.close(),
  };
}

/**
 * The URL of a listener, to reach it from this machine. For a unix socket, it has the host name that clients of unix sockets conventionally
 * use.
 */
export function urlOf({ hostname, port, socket, tls }: ReachableListener): string {
  if (socket) return "http://localhost";
  return `${tls ? "https" : "http"}://${reachable(hostname)}:${port}`;
}

/** The host name to reach a listener on this machine, even if it listens on every interface. */
function reachable(hostname: string): string {
  if (hostname === "0.0.0.0") return "127.0.0.1";
  if (hostname === "::") return "[::1]";
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}

function handleRequest(request: ServerRequest, routes: Routes, options: ListenerOptions): Promise<Reply> {
  const found = routes.find(request.method, request.target);
  if (!found || isOff(found.endpoint)) return handleUnrouted(request, options);
  request.params = found.params;
  return respond(found.endpoint, new ConnectionExchange(request, options), options);
}

function isOff({ isOn }: Endpoint): boolean {
  return isOn !== undefined && !isOn();
}

/** The exchange of a request on a connection. */
class ConnectionExchange implements Exchange {
  readonly request: ServerRequest;
  // UUIDv7 is ordered by time, so that database indexes grow at the end.
  readonly requestId = `req_${Bun.randomUUIDv7()}`;
  readonly startedAtMs = performance.now();
  readonly notes = new RequestNotes();
  describeReply?: (headers: Record<string, string>) => void;
  contentSecurityPolicy?: string;
  isImmutable?: true;
  ends?: Promise<void>;
  readonly #callerOf: ListenerOptions["callerOf"];

  constructor(request: ServerRequest, { callerOf }: ListenerOptions) {
    this.request = request;
    this.#callerOf = callerOf;
  }

  setIdleTimeout(seconds: number): void {
    this.request.setIdleTimeout(seconds);
  }

  markAuthenticated(account: string, credential?: string, isOperator?: boolean): void {
    this.request.markAuthenticated(account, credential, isOperator);
  }

  keepBodyUntil(settled: Promise<unknown>): void {
    this.request.keepBodyUntil(settled);
  }

  callerAddress(): string | null {
    const peer = this.request.callerAddress;
    return this.#callerOf ? this.#callerOf(peer, this.request.headers) : peer;
  }
}

/** A request that no route matched: a CORS preflight, a trailing slash, a wrong method, or an unknown path. */
function handleUnrouted(request: ServerRequest, options: ListenerOptions): Promise<Reply> {
  const path = withoutBase(tidyPath(request.target), options.basePath);
  const candidates = options.endpoints.filter((endpoint) => matches(endpoint.path, path) && !isOff(endpoint));
  // Paths with an `:id` are skipped: the id would be missing.
  const meant = candidates.find(({ method, path: own }) => method === request.method && own === path && !own.includes(":"));
  const isPreflight = options.openToBrowsers && request.method === "OPTIONS";
  const endpoint = isPreflight ? preflight(path, candidates) : (meant ?? rejecting(request.method, path, candidates, options));
  return respond(endpoint, new ConnectionExchange(request, options), options);
}

/** The reply to a request that was not read. Such a request is not logged: it has no path, no headers and no key. */
function refuseUnread(thrown: unknown, { errorFormat, reportFailure }: ListenerOptions): Reply {
  const context = { notes: new RequestNotes(), requestId: `req_${Bun.randomUUIDv7()}` };
  const reply = toErrorReply(thrown, context, errorFormat);
  if (context.notes.code === "internal_error") reportFailure(thrown);
  return reply;
}

/** The CORS preflight of a browser; it carries no key. */
function preflight(path: string, candidates: readonly Endpoint[]): Responder {
  return { path, isProbe: true, handle: ({ request }) => answerPreflight(request, candidates) };
}

function rejecting(method: string, path: string, candidates: readonly Endpoint[], options: ListenerOptions): Responder {
  const shown = withoutSecrets(path).slice(0, 200);
  const [{ errorFormat } = {}] = candidates;
  return {
    path: shown,
    ...(errorFormat && { errorFormat }),
    handle({ request }) {
      if (candidates.length === 0 || candidates.some((endpoint) => endpoint.method === method)) {
        const page = options.pageForUnknown?.(request);
        if (page) return page;
        throw unknownUrl(options.endpoints, options.hintForUnknown?.(path));
      }
      const allow = candidates.map((endpoint) => endpoint.method).join(", ");
      throw new ApiError("method_not_allowed", `${shown} does not take ${method}, only ${allow}.`, { headers: { allow } });
    },
  };
}

/** Some mail programs turn `/welcome#…` into `/welcome%23…`, which would put the secret of the link into the log. */
function withoutSecrets(path: string): string {
  return redactSecrets(path).replaceAll(/[0-9A-Za-z]{40,}/g, "…");
}

/** Without a hint, lists the public endpoints, if they are few. */
function unknownUrl(endpoints: readonly Endpoint[], hint: string | undefined): ApiError {
  const known = endpoints
    .filter((endpoint) => endpoint.contract && !isOff(endpoint))
    .map((endpoint) => `${endpoint.method} ${endpoint.path}`);
  const others = known.length > 3 ? "" : ` There is ${known.join(" and ")}.`;
  return new ApiError("unknown_url", `There is nothing at this address.${hint === undefined ? others : ` ${hint}`}`);
}

/**
 * The path of a request without a trailing slash, which some clients add. Repeated slashes stay: a proxy that restricts `/api/` does not
 * match `//api//`, so it must not match here either.
 */
function tidyPath(target: string): string {
  return target.replace(/[?#].*$/s, "").replace(/(?<=[^/])\/$/, "");
}

/** The endpoint that a request matched. */
interface RouteMatch {
  readonly endpoint: Endpoint;
  /** The path parameters of the request. */
  readonly params: Readonly<Record<string, string>>;
}

/** A path such as `/api/keys/:id`, by segments. */
interface Pattern {
  readonly steps: readonly string[];
  readonly endpoint: Endpoint;
}

/** The table of endpoints, by method and path. */
export class Routes {
  /** Endpoints without path parameters, by method and path. */
  readonly #plain = new Map<string, RouteMatch>();
  readonly #patterns: Pattern[] = [];

  /** `basePath` is the prefix that a proxy may not strip. Paths without it match too. */
  constructor(endpoints: readonly Endpoint[], basePath = "") {
    // Paths without the base path come last, so that they win if both match.
    for (const base of new Set([basePath, ""])) {
      for (const endpoint of endpoints) this.#add(`${base}${endpoint.path}`, endpoint);
    }
  }

  /** The endpoint that matches a request exactly. HEAD matches GET. */
  find(method: string, target: string): RouteMatch | undefined {
    const wanted = method === "HEAD" ? "GET" : method;
    const query = target.indexOf("?");
    const path = query < 0 ? target : target.slice(0, query);
    return this.#plain.get(`${wanted} ${path}`) ?? this.#findPattern(wanted, path.split("/"));
  }

  #add(path: string, endpoint: Endpoint): void {
    if (!path.includes(":")) this.#plain.set(`${endpoint.method} ${path}`, { endpoint, params: {} });
    else this.#patterns.unshift({ steps: path.split("/"), endpoint });
  }

  /** Of two matches, a literal segment wins over a parameter. */
  #findPattern(method: string, given: readonly string[]): RouteMatch | undefined {
    let best: Pattern | undefined;
    for (const pattern of this.#patterns) {
      if (pattern.endpoint.method === (method as Method) && covers(pattern.steps, given) && isCloser(pattern, best)) best = pattern;
    }
    const params = best && paramsOf(best.steps, given);
    return best && params && { endpoint: best.endpoint, params };
  }
}

function isCloser({ steps }: Pattern, best: Pattern | undefined): boolean {
  if (best === undefined) return true;
  const differing = steps.findIndex((step, at) => isName(step) !== isName(best.steps[at]!));
  return differing >= 0 && !isName(steps[differing]!);
}

/** Undefined if a parameter is not valid percent-encoding. */
function paramsOf(steps: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  try {
    const names = steps.flatMap((step, at) => (isName(step) ? [[step.slice(1), decodeURIComponent(given[at]!)] as const] : []));
    return Object.fromEntries(names);
  } catch {
    return undefined;
  }
}

/** Whether a path pattern such as `/api/keys/:id` matches this path. */
function matches(pattern: string, path: string): boolean {
  return covers(pattern.split("/"), path.split("/"));
}

function covers(steps: readonly string[], given: readonly string[]): boolean {
  return steps.length === given.length && steps.every((step, at) => (isName(step) ? given[at] !== "" : step === given[at]));
}

function isName(step: string): boolean {
  return step.startsWith(":");
}

function withoutBase(path: string, basePath = ""): string {
  return path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) || "/" : path;
}
