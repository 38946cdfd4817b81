import { GatewayError } from "../requests/gateway-error.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";
import { RequestNotes } from "../requests/request-notes.ts";
import { respond, type Responder, type RespondOptions } from "./respond.ts";
import { answerPreflight } from "./cors.ts";
import type { Endpoint, Exchange } from "./endpoint.ts";
import { toErrorReply } from "./error-reply.ts";
import { hideSecrets } from "./hide-secrets.ts";
import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";
import type { Reply } from "../lib/http1/server/reply.ts";
import { matches, Routes, withoutBase } from "./routes.ts";
import { Http1Listener, type ListenOptions } from "../lib/http1/server/listener.ts";
import type { ConnectionCounts } from "../lib/http1/server/open-connections.ts";
import type { ServerRequest } from "../lib/http1/server/server-request.ts";

export interface ListenerOptions extends RespondOptions, Omit<ListenOptions, "handle" | "refuse"> {
  readonly endpoints: readonly Endpoint[];
  /** What paths begin with when a proxy leaves it on, such as `/tollgate`. They are answered without it too. */
  readonly basePath?: string;
  /** What a request to nowhere is shown in place of the refusal, if anything. */
  readonly pageForUnknown?: (request: IncomingRequest) => Promise<Reply> | undefined;
  /** What the caller of a path that is not there should change, as sentences; undefined where that is not known. */
  readonly hintForUnknown?: (path: string) => string | undefined;
  /** Who calls, of a connection from this address with these headers. Without it, that address does. */
  readonly callerOf?: (peer: string, headers: HeaderFields) => string;
}

export interface Listener {
  readonly url: string;
  readonly pendingRequests: number;
  readonly connections: ConnectionCounts;
  readonly isDraining: boolean;
  /** Accepts no more connections, and resolves when no request is under way. */
  drain(): Promise<void>;
  /** Accepts no more connections, and reads no more requests. */
  finish(): void;
  /** Ends every connection now. */
  close(): Promise<void>;
}

/** Opens a listener on a table of endpoints. What is not in the table does not exist. */
export function serve(options: ListenerOptions): Listener {
  const routes = new Routes(options.endpoints, options.basePath);
  const listener = new Http1Listener({
    ...options,
    handle: (request) => answerRequest(request, routes, options),
    refuse: (thrown) => refuseUnread(thrown, options),
  });
  return {
    url: `http://${reachable(options.hostname)}:${listener.port}`,
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

/** An address that stands for every interface is reached on this machine's own. */
export function reachable(hostname: string): string {
  if (hostname === "0.0.0.0") return "127.0.0.1";
  if (hostname === "::") return "[::1]";
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}

function answerRequest(request: ServerRequest, routes: Routes, options: ListenerOptions): Promise<Reply> {
  const found = routes.find(request.method, request.target);
  if (!found) return answerUnrouted(request, options);
  request.params = found.params;
  return respond(found.endpoint, new WireExchange(request, options), options);
}

/** The exchange of a request that came over a connection. */
class WireExchange implements Exchange {
  readonly request: ServerRequest;
  // Version 7 counts up with time, so that an index over many of them grows at its end.
  readonly requestId = `req_${Bun.randomUUIDv7()}`;
  readonly startedAtMs = performance.now();
  readonly notes = new RequestNotes();
  describeReply?: (headers: Record<string, string>) => void;
  isForEver?: true;
  ends?: Promise<void>;
  readonly #callerOf: ListenerOptions["callerOf"];

  constructor(request: ServerRequest, { callerOf }: ListenerOptions) {
    this.request = request;
    this.#callerOf = callerOf;
  }

  setIdleTimeout(seconds: number): void {
    this.request.setIdleTimeout(seconds);
  }

  markAuthenticated(account: string): void {
    this.request.markAuthenticated(account);
  }

  keepBodyUntil(settled: Promise<unknown>): void {
    this.request.keepBodyUntil(settled);
  }

  callerAddress(): string | null {
    const peer = this.request.callerAddress;
    return peer !== null && this.#callerOf ? this.#callerOf(peer, this.request.headers) : peer;
  }
}

/** Everything that no route matched: a preflight, a slash at the end, a wrong method, or nothing of ours. */
function answerUnrouted(request: ServerRequest, options: ListenerOptions): Promise<Reply> {
  const path = withoutBase(tidyPath(request.target), options.basePath);
  const candidates = options.endpoints.filter((endpoint) => matches(endpoint.path, path));
  // Nobody means a path that is written as ours are: what stands for an id in it would be missing.
  const meant = candidates.find(({ method, path: own }) => method === request.method && own === path && !own.includes(":"));
  const isPreflight = options.openToBrowsers && request.method === "OPTIONS";
  const endpoint = isPreflight ? preflight(path, candidates) : (meant ?? refusing(request.method, path, candidates, options));
  return respond(endpoint, new WireExchange(request, options), options);
}

/** The reply to a request that was not read. It is not logged as a request: it has no path, no headers and no key. */
function refuseUnread(thrown: unknown, { errorFormat, reportFailure }: ListenerOptions): Reply {
  const context = { notes: new RequestNotes(), requestId: `req_${Bun.randomUUIDv7()}` };
  const reply = toErrorReply(thrown, context, errorFormat);
  if (context.notes.code === "internal_error") reportFailure(thrown);
  return reply;
}

/** The question a browser asks before it sends; it brings no key. */
function preflight(path: string, candidates: readonly Endpoint[]): Responder {
  return { path, isProbe: true, handle: ({ request }) => answerPreflight(request, candidates) };
}

function refusing(method: string, path: string, candidates: readonly Endpoint[], options: ListenerOptions): Responder {
  const shown = withoutSecrets(path).slice(0, 200);
  return {
    path: shown,
    handle({ request }) {
      if (candidates.length === 0 || candidates.some((endpoint) => endpoint.method === method)) {
        const page = options.pageForUnknown?.(request);
        if (page) return page;
        throw unknownUrl(options.endpoints, options.hintForUnknown?.(path));
      }
      const allow = candidates.map((endpoint) => endpoint.method).join(", ");
      throw new GatewayError("method_not_allowed", `${shown} does not take ${method}, only ${allow}.`, { headers: { allow } });
    },
  };
}

/** Links break: `/welcome#…` comes as `/welcome%23…` from some mail programs, and would bring what opens it into the log. */
function withoutSecrets(path: string): string {
  return hideSecrets(path).replaceAll(/[0-9A-Za-z]{40,}/g, "…");
}

/** Without a hint, names the public endpoints, if they are few. */
function unknownUrl(endpoints: readonly Endpoint[], hint: string | undefined): GatewayError {
  const known = endpoints.filter((endpoint) => endpoint.contract).map((endpoint) => `${endpoint.method} ${endpoint.path}`);
  const others = known.length > 3 ? "" : ` There is ${known.join(" and ")}.`;
  return new GatewayError("unknown_url", `There is nothing at this address.${hint === undefined ? others : ` ${hint}`}`);
}

/**
 * The path of a request without a slash at its end, which some clients add. Repeated slashes stay: a proxy that keeps `/api/` to some
 * does not know `//api//`, so it must not be the same here.
 */
function tidyPath(target: string): string {
  return target.replace(/[?#].*$/s, "").replace(/(?<=[^/])\/$/, "");
}
