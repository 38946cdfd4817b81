import type { BunRequest, Server } from "bun";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import { RequestNotes } from "../vocabulary/request-notes.ts";
import { answer, IDLE_TIMEOUT_SECONDS, type Answerer, type AnswerOptions } from "./answer.ts";
import { answerPreflight } from "./cors.ts";
import type { Endpoint, Exchange } from "./endpoint.ts";
import { hideSecrets } from "./hide-secrets.ts";

export interface ListenerOptions extends AnswerOptions {
  readonly hostname: string;
  readonly port: number;
  readonly endpoints: readonly Endpoint[];
  /** What paths begin with when a proxy leaves it on, such as `/tollgate`. They are answered without it too. */
  readonly basePath?: string;
  /** What a request to nowhere is shown in place of the refusal, if anything. */
  readonly pageForUnknown?: (request: Request) => Promise<Response> | undefined;
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
  // Those without the base path last: where the two meet, what a path says by itself counts.
  for (const basePath of new Set([options.basePath ?? "", ""])) {
    for (const endpoint of options.endpoints) {
      const path = `${basePath}${endpoint.path}`;
      routes[path] = {
        ...routes[path],
        [endpoint.method]: (request, from) => answer(endpoint, exchangeOf(request, from, options), options),
      };
    }
  }
  return routes;
}

/** The exchange of a request that came over a connection. */
function exchangeOf(request: BunRequest, from: Server<undefined>, options: ListenerOptions): Exchange {
  return {
    request,
    // Version 7 counts up with time, so that an index over many of them grows at its end.
    requestId: `req_${Bun.randomUUIDv7()}`,
    startedAtMs: performance.now(),
    notes: new RequestNotes(),
    allowSilence: (seconds) => from.timeout(request, seconds),
    callerAddress: () => findCaller(request, from, options),
  };
}

/** Everything that no route matched: a preflight, a sloppy path, a wrong method, or nothing of ours. */
function answerUnrouted(request: BunRequest, from: Server<undefined>, options: ListenerOptions): Promise<Response> {
  const path = withoutBase(tidyPath(request.url), options.basePath);
  const candidates = options.endpoints.filter((endpoint) => matches(endpoint.path, path));
  // Nobody means a path that is written as ours are: what stands for an id in it would be missing.
  const meant = candidates.find(({ method, path: own }) => method === request.method && own === path && !own.includes(":"));
  const isPreflight = options.openToBrowsers && request.method === "OPTIONS";
  const endpoint = isPreflight ? preflight(path, candidates) : (meant ?? refusing(request.method, path, candidates, options));
  return answer(endpoint, exchangeOf(request, from, options), options);
}

function findCaller(request: BunRequest, from: Server<undefined>, { callerOf }: ListenerOptions): string | null {
  const peer = from.requestIP(request)?.address ?? null;
  return peer !== null && callerOf ? callerOf(peer, request.headers) : peer;
}

/** The question a browser asks before it sends; it brings no key. */
function preflight(path: string, candidates: readonly Endpoint[]): Answerer {
  return { path, isProbe: true, handle: ({ request }) => answerPreflight(request, candidates) };
}

function refusing(method: string, path: string, candidates: readonly Endpoint[], options: ListenerOptions): Answerer {
  const shown = withoutSecrets(path).slice(0, 200);
  return {
    path: shown,
    handle({ request }) {
      if (candidates.length === 0 || candidates.some((endpoint) => endpoint.method === method)) {
        const page = options.pageForUnknown?.(request);
        if (page) return page;
        throw unknownUrl(options.endpoints);
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

function withoutBase(path: string, basePath = ""): string {
  return path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) || "/" : path;
}

/** Whether a path such as `/api/keys/:id` covers this one. */
function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return wanted.length === given.length && wanted.every((step, at) => step.startsWith(":") || step === given[at]);
}
