import type { Exchange } from "../http/endpoint.ts";
import type { Access, Actor, Scope } from "../access/access.ts";
import { GatewayError } from "../requests/gateway-error.ts";
import { authenticate } from "./authenticate.ts";
import type { Platform } from "./platform.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";
import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";

/** Who comes without a credential, to where none is needed. Reaches nothing. */
const ANYONE: Actor = { id: "anyone", name: "anyone", role: "member", accountId: null, scopes: [], personId: null, sessionId: null };

/** The header that no form and no other site's script can send without our leave. */
export const CSRF_HEADER = "x-tollgate-request";

/** Lets a request in that may make this call, and says who makes it. Every operation passes here, so none can forget it. */
export function admitActor(exchange: Exchange, access: Access, platform: Platform): Actor {
  const { request } = exchange;
  if (request.method !== "GET") refuseCrossSite(request, platform);
  if (access === "anyone") return ANYONE;
  const actor = authenticate(request, platform);
  exchange.markAuthenticated(actor.accountId ?? actor.id);
  if (actor.sessionId !== null && request.method !== "GET") requireOwnScript(request);
  if (access === "session") requireSession(actor);
  else if (access !== "signed-in") requireRole(actor, access);
  return actor;
}

/** What a browser sends on behalf of another site's page. Those that say nothing of it are not browsers, or hold no cookie. */
function refuseCrossSite({ headers }: IncomingRequest, platform: Platform): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isForeign = (site !== null && site !== "same-origin") || (origin !== null && !isOwnOrigin(origin, headers, platform));
  if (isForeign) throw new GatewayError("cross_site_request", "Changes are taken from this server's own pages only.");
}

/** The address that is published, which a proxy may have replaced in `Host`, or the one that was called. */
function isOwnOrigin(origin: string, headers: HeaderFields, platform: Platform): boolean {
  return origin === new URL(platform.address()).origin || URL.parse(origin)?.host === headers.get("host");
}

function requireOwnScript({ headers }: IncomingRequest): void {
  if (headers.has(CSRF_HEADER)) return;
  throw new GatewayError("cross_site_request", `A change with a session needs the header ${CSRF_HEADER}.`);
}

function requireSession(actor: Actor): void {
  if (actor.sessionId !== null) return;
  throw new GatewayError("not_permitted", "This takes a person who is signed in with a browser.");
}

function requireRole(actor: Actor, { role, scope }: Exclude<Access, string>): void {
  if (role === "operator" && actor.role !== "operator") throw new GatewayError("not_permitted", "This is for operators.");
  requireScope(actor, scope);
}

/** Of an access token; everybody else has all of them. */
export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.scopes !== null && !actor.scopes.includes(scope)) {
    throw new GatewayError("not_permitted", `The access token does not have the scope ${scope}.`);
  }
}
