import type { Exchange } from "../http/endpoint.ts";
import type { Access, Actor, Scope } from "../access/access.ts";
import { ApiError } from "../requests/api-error.ts";
import { authenticate, OPERATOR_TOKEN } from "./authenticate.ts";
import type { Platform } from "./platform.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";
import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";

/** The actor of a request without a credential, if none is required. It has no access. */
const ANYONE: Actor = { id: "anyone", name: "anyone", role: "member", accountId: null, scopes: [], personId: null, sessionId: null };

/** A header that a form or a script of another site cannot send without Tollgate's permission (CSRF protection). */
const CSRF_HEADER = "x-tollgate-request";

/** Authorizes a request for an operation and returns its actor. Every operation calls this function, so the check cannot be forgotten. */
export function admitActor(exchange: Exchange, access: Access, platform: Platform): Actor {
  const { request } = exchange;
  if (request.method !== "GET") refuseCrossSite(request, platform);
  if (access === "anyone") return ANYONE;
  const actor = authenticate(request, platform);
  exchange.markAuthenticated(actor.accountId ?? actor.id, undefined, actor.role === "operator");
  if (actor.sessionId !== null && request.method !== "GET") requireOwnScript(request);
  if (access === "session") requireSession(actor);
  else if (access === "operator-token") requireOperatorToken(actor);
  else if (access !== "signed-in") requireRole(actor, access);
  return actor;
}

/** Rejects requests that a browser sends on behalf of another site. Clients without these headers are not browsers, or have no cookie. */
function refuseCrossSite({ headers }: IncomingRequest, platform: Platform): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isForeign = (site !== null && site !== "same-origin") || (origin !== null && !isOwnOrigin(origin, headers, platform));
  if (isForeign) throw new ApiError("cross_site_request", "Changes are accepted only from this server's own pages.");
}

/** Whether the origin is the public URL, which a proxy may have replaced in `Host`, or the requested host. */
function isOwnOrigin(origin: string, headers: HeaderFields, platform: Platform): boolean {
  return origin === new URL(platform.publicUrl()).origin || URL.parse(origin)?.host === headers.get("host");
}

function requireOwnScript({ headers }: IncomingRequest): void {
  if (headers.has(CSRF_HEADER)) return;
  throw new ApiError("cross_site_request", `A change with a session needs the header ${CSRF_HEADER}.`);
}

function requireSession(actor: Actor): void {
  if (actor.sessionId !== null) return;
  throw new ApiError("not_permitted", "This requires a person who is signed in with a browser.");
}

function requireOperatorToken(actor: Actor): void {
  if (actor === OPERATOR_TOKEN) return;
  throw new ApiError("not_permitted", "This requires the operator token.");
}

function requireRole(actor: Actor, { role, scope }: Exclude<Access, string>): void {
  if (role === "operator" && actor.role !== "operator") throw new ApiError("not_permitted", "This is for operators.");
  requireScope(actor, scope);
}

/** Checks the scope of an access token; other credentials have all scopes. */
export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.scopes !== null && !actor.scopes.includes(scope)) {
    throw new ApiError("not_permitted", `The access token does not have the scope ${scope}.`);
  }
}
