import type { Scope } from "../../src/access/access.ts";

/**
 * Who may call what, written down by hand: the operations say it too, and the two must agree. A new operation is not tested
 * before it has a line here, and the suite fails until it has one.
 */
export type Needs = "anyone" | "signed-in" | "session" | `${"member" | "operator"} with ${Scope}`;

export const PLATFORM_ROUTES: Readonly<Record<string, Needs>> = {
  "GET /": "anyone",
  "GET /welcome": "anyone",
  "GET /start": "anyone",
  "GET /requests": "anyone",
  "GET /requests/:id": "anyone",
  "GET /models": "anyone",
  "GET /models/:id": "anyone",
  "GET /price-lists": "anyone",
  "GET /price-lists/:id": "anyone",
  "GET /margin": "anyone",
  "GET /keys": "anyone",
  "GET /keys/:id": "anyone",
  "GET /accounts": "anyone",
  "GET /accounts/:id": "anyone",
  "GET /upstreams": "anyone",
  "GET /upstreams/:id": "anyone",
  "GET /instances": "anyone",
  "GET /people": "anyone",
  "GET /people/:id": "anyone",
  "GET /audit": "anyone",
  "GET /alerts": "anyone",
  "GET /alerts/:id": "anyone",
  "GET /settings": "anyone",
  "GET /settings/:section": "anyone",
  "GET /playground": "anyone",
  "GET /docs": "anyone",
  "GET /docs/:page": "anyone",
  "GET /docs/:folder/:page": "anyone",
  "GET /key": "anyone",
  "GET /assets/:file": "anyone",
  "GET /docs/gateway.json": "anyone",
  "GET /docs/platform.json": "anyone",

  "GET /api/sign-in/methods": "anyone",
  "POST /api/sign-in": "anyone",
  "GET /api/sign-in/oidc": "anyone",
  "GET /api/sign-in/oidc/callback": "anyone",
  "POST /api/invitations/show": "anyone",
  "POST /api/invitations/accept": "anyone",
  "POST /api/sign-out": "session",

  "GET /api/about": "signed-in",
  "GET /api/me": "signed-in",
  "PATCH /api/me": "session",
  "POST /api/me/password": "session",
  "GET /api/me/sessions": "session",
  "DELETE /api/me/sessions/:id": "session",
  "POST /api/me/access-tokens": "session",
  "GET /api/me/access-tokens": "session",
  "DELETE /api/me/access-tokens/:id": "session",

  "POST /api/keys": "member with keys:write",
  "GET /api/keys": "member with keys:read",
  "GET /api/keys/:id": "member with keys:read",
  "PATCH /api/keys/:id": "member with keys:write",
  "DELETE /api/keys/:id": "member with keys:write",
  "POST /api/keys/:id/rotate": "member with keys:write",
  "POST /api/keys/revoke": "anyone",
  "POST /api/keys/:id/chat/completions": "member with keys:write",

  "POST /api/accounts": "operator with accounts:write",
  "GET /api/accounts": "member with accounts:read",
  "GET /api/accounts/:id": "member with accounts:read",
  "PATCH /api/accounts/:id": "operator with accounts:write",
  "POST /api/accounts/:id/end-users/export": "operator with bodies:read",
  "POST /api/accounts/:id/end-users/erase": "operator with accounts:write",
  "POST /api/accounts/:id/grants": "operator with credits:write",
  "POST /api/accounts/:id/adjustments": "operator with credits:write",
  "GET /api/accounts/:id/entries": "member with accounts:read",
  "GET /api/receipts/:requestId": "member with usage:read",
  "GET /api/usage": "member with usage:read",
  "GET /api/margin": "operator with usage:read",
  "POST /api/reconciliations": "operator with usage:read",

  "GET /api/requests": "member with usage:read",
  "GET /api/requests/export": "member with usage:read",
  "GET /api/requests/statistics": "member with usage:read",
  "GET /api/requests/:requestId": "member with usage:read",
  "GET /api/requests/:requestId/bodies": "operator with bodies:read",

  "POST /api/models": "operator with models:write",
  "GET /api/models": "member with models:read",
  "GET /api/models/:id": "member with models:read",
  "PATCH /api/models/:id": "operator with models:write",
  "POST /api/models/:id/deprecate": "operator with models:write",
  "POST /api/models/:id/retire": "operator with models:write",
  "GET /api/models/:id/keys": "member with keys:read",
  "GET /api/changelog": "member with models:read",
  "GET /api/changelog.atom": "member with models:read",

  "POST /api/price-lists": "operator with models:write",
  "GET /api/price-lists": "operator with models:read",
  "GET /api/price-lists/:id": "operator with models:read",
  "PATCH /api/price-lists/:id": "operator with models:write",
  "DELETE /api/price-lists/:id": "operator with models:write",

  "POST /api/upstreams": "operator with upstreams:write",
  "GET /api/upstreams": "operator with upstreams:read",
  "GET /api/upstreams/:id": "operator with upstreams:read",
  "PATCH /api/upstreams/:id": "operator with upstreams:write",
  "DELETE /api/upstreams/:id": "operator with upstreams:write",
  "PUT /api/upstreams/:id/credential": "operator with upstreams:write",
  "DELETE /api/upstreams/:id/credential": "operator with upstreams:write",
  "POST /api/upstreams/:id/credential/test": "operator with upstreams:write",
  "POST /api/upstreams/:id/test": "operator with upstreams:write",
  "POST /api/upstreams/:id/doctor": "operator with upstreams:write",
  "GET /api/upstreams/:id/deviations": "operator with upstreams:read",
  "GET /api/upstreams/:id/health": "operator with upstreams:read",

  "POST /api/webhooks": "operator with alerts:write",
  "GET /api/webhooks": "operator with alerts:read",
  "GET /api/webhooks/:id": "operator with alerts:read",
  "PATCH /api/webhooks/:id": "operator with alerts:write",
  "DELETE /api/webhooks/:id": "operator with alerts:write",
  "POST /api/webhooks/:id/rotate-secret": "operator with alerts:write",
  "POST /api/webhooks/:id/test": "operator with alerts:write",
  "GET /api/webhooks/:id/deliveries": "operator with alerts:read",
  "POST /api/webhooks/:id/deliveries/:deliveryId/redeliver": "operator with alerts:write",

  "POST /api/people": "operator with people:write",
  "GET /api/people": "operator with people:read",
  "GET /api/people/:id": "operator with people:read",
  "PATCH /api/people/:id": "operator with people:write",
  "POST /api/people/:id/invitation": "operator with people:write",
  "DELETE /api/people/:id/sessions": "operator with people:write",
  "GET /api/people/:id/access-tokens": "operator with people:read",
  "DELETE /api/people/:id/access-tokens/:tokenId": "operator with people:write",

  "GET /api/instances": "operator with instances:read",
  "GET /api/instances/:id": "operator with instances:read",
  "POST /api/instances/restart": "operator with instances:write",
  "POST /api/instances/:id/write-off": "operator with instances:write",

  "POST /api/config/reload": "operator with config:write",
  "GET /api/audit-log": "operator with audit:read",
  "GET /api/audit": "operator with audit:read",
  "GET /metrics": "operator with metrics:read",
};

/** What model-calling clients can reach, and whether it takes a model key. */
export const GATEWAY_ROUTES: Readonly<Record<string, "anyone" | "model key">> = {
  "POST /v1/chat/completions": "model key",
  "GET /v1/models": "model key",
  "GET /healthz": "anyone",
  "GET /readyz": "anyone",
};

/** A route as a request: ids are such that nothing is found under them. */
export function splitRoute(route: string): { method: string; path: string } {
  const [method, pattern] = route.split(" ") as [string, string];
  return { method, path: pattern.replaceAll(/:\w+/g, "none-such") };
}
