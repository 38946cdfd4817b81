import { operators } from "../../../access/access.ts";
import { issueAccessToken, serviceOf, serviceOwner, type AccessToken } from "../../../access/access-token.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";
import { accessTokenSchema, describeAccessToken, expirySchema, readExpiry, scopesSchema, viewAccessToken } from "./access-token-view.ts";

/** Access tokens of service identities: machines that have no browser to sign in with. */

const serviceSchema = {
  type: "string",
  pattern: "^[a-z0-9][a-z0-9._-]{0,62}$",
  patternInWords: "1 to 63 of a-z, 0-9, dot, dash and underscore, with a letter or digit first",
  description: "The service identity, as the audit log names it: `service:NAME`.",
} as const satisfies Schema;

const serviceTokenSchema = {
  ...accessTokenSchema,
  title: "ServiceToken",
  required: [...accessTokenSchema.required, "service"],
  properties: { ...accessTokenSchema.properties, service: serviceSchema },
} as const satisfies Schema;

/**
 * POST /api/access-tokens: creates a token of a service identity. It requires the operator token, which a machine without a browser has, so that no
 * access token can create another.
 */
export function createServiceToken(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/access-tokens",
    access: "operator-token",
    operationId: "createServiceToken",
    summary: "Create an access token of a service identity. The plaintext token is shown only in this reply.",
    body: {
      title: "CreateServiceTokenRequest",
      type: "object",
      additionalProperties: false,
      required: ["service", "scopes", "expires_at"],
      properties: { service: serviceSchema, scopes: scopesSchema, expires_at: expirySchema },
    },
    reply: {
      status: 201,
      description: "The token.",
      json: {
        ...serviceTokenSchema,
        title: "NewServiceToken",
        required: [...serviceTokenSchema.required, "token"],
        properties: {
          ...serviceTokenSchema.properties,
          token: { type: "string", nullable: true, description: "The plaintext token, shown only once, in the reply that created it." },
        },
      },
    },
    async run({ body: { service, scopes, expires_at: expiry }, change }) {
      const nowMs = platform.nowMs();
      const wanted = { name: service, scopes: [...new Set(scopes)], expiresAtMs: readExpiry(expiry, nowMs) };
      const { token, record } = issueAccessToken(serviceOwner(service), wanted, platform.hashSecret, nowMs);
      const what = { before: null, after: describeServiceToken(record), accountId: null };
      await platform.accessTokens.add(record, change("access_token.create", { kind: "access_token", id: record.id }, what));
      return { ...viewServiceToken(record, platform), token: token.reveal() };
    },
    showCreated: (id) => ({ ...viewServiceToken(existingToken(platform.accessTokens.find(id), id), platform), token: null }),
  });
}

/** GET /api/access-tokens: the access tokens of service identities. */
export function listServiceTokens(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/access-tokens",
    access: operators("people:read"),
    operationId: "listServiceTokens",
    summary: "List the access tokens of service identities, newest first",
    query: { service: { type: "string", description: "Only the tokens of this service identity." }, ...pageQuery },
    reply: { status: 200, description: "A page of access tokens.", json: pageSchema("ServiceTokenPage", serviceTokenSchema) },
    run({ query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["string"]);
      const tokens = platform.accessTokens
        .listOfServices()
        .filter((each) => query.service === undefined || serviceOf(each) === query.service);
      const from = after === undefined ? 0 : tokens.findIndex(({ id }) => id === after[0]) + 1;
      const view = (token: AccessToken) => viewServiceToken(token, platform);
      return toPage(cursors, tokens.slice(from), limit, view, ({ id }) => [id]);
    },
  });
}

/** DELETE /api/access-tokens/:id: revokes a token of a service identity. */
export function revokeServiceToken(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/access-tokens/:id",
    access: operators("people:write"),
    operationId: "revokeServiceToken",
    summary: "Revoke an access token of a service identity permanently, from the next request on",
    reply: { status: 200, description: "The revoked token.", json: serviceTokenSchema },
    async run(call) {
      const id = call.param("id");
      const { record } = await platform.accessTokens.revoke(id, (current) => {
        const token = existingToken(current, id);
        const revoked = { ...token, revokedAtMs: token.revokedAtMs ?? platform.nowMs() };
        const what = { before: describeServiceToken(token), after: describeServiceToken(revoked), accountId: null };
        return { record: revoked, change: call.change("access_token.revoke", { kind: "access_token", id }, what) };
      });
      return viewServiceToken(record, platform);
    },
  });
}

/** A person's token is reported as not found. */
function existingToken(token: AccessToken | undefined, id: string): AccessToken {
  if (token && serviceOf(token) !== undefined) return token;
  throw unknownId("unknown_access_token", "access token", id);
}

function viewServiceToken(token: AccessToken, platform: Platform) {
  return { ...viewAccessToken(token, platform), service: serviceOf(token)! };
}

function describeServiceToken(token: AccessToken) {
  return { ...describeAccessToken(token), service: serviceOf(token) };
}
