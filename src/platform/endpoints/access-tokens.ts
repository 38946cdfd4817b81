import { SCOPES, operators } from "../../access/access.ts";
import { isUsable, MAX_TOKEN_LIFETIME_MS, type AccessToken, issueAccessToken, serviceOf, serviceOwner } from "../../access/access-token.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Platform } from "../platform.ts";
import { readFutureTime, timeSchema, viewTime, unknownId } from "./fields.ts";
import type { Person } from "../../access/person.ts";
import { type Call, operation, type Operation } from "../operation.ts";
import { readPage, toPage, type PageQuery, pageQuery, pageSchema } from "../paging.ts";

export const scopesSchema = {
  type: "array",
  minItems: 1,
  maxItems: SCOPES.length,
  items: { type: "string", enum: SCOPES },
  description: "The scopes of the token, within the permissions of its owner.",
} as const satisfies Schema;

export const expirySchema = {
  type: "string",
  description: "The expiry time, such as 2027-01-31T00:00:00Z. At most one year from now.",
} as const satisfies Schema;

export function readExpiry(text: string, nowMs: number): number {
  const ms = readFutureTime(text, "expires_at", nowMs);
  if (ms <= nowMs + MAX_TOKEN_LIFETIME_MS) return ms;
  throw new ApiError("invalid_value", "expires_at must be at most one year from now.", { param: "expires_at" });
}

export const accessTokenSchema = {
  title: "AccessToken",
  type: "object",
  required: ["id", "name", "scopes", "active", "created_at", "expires_at", "last_used_at", "revoked_at"],
  properties: {
    id: { type: "string", description: "The public part of the token, shown in lists." },
    name: { type: "string" },
    scopes: scopesSchema,
    active: { type: "boolean", description: "Whether the token is valid." },
    created_at: timeSchema,
    expires_at: timeSchema,
    last_used_at: { ...timeSchema, nullable: true, description: "The time of the last use, to the minute." },
    revoked_at: { ...timeSchema, nullable: true },
  },
} as const satisfies Schema;

/** An access token as the API returns it: never its hash, and the plaintext token only in the reply that created it. */
export function viewAccessToken(token: AccessToken, platform: Platform) {
  return {
    ...describeAccessToken(token),
    active: isUsable(token, platform.people.find(token.personId), platform.nowMs()),
    last_used_at: viewTime(token.lastUsedAtMs),
  };
}

/** The audited fields of a token. */
export function describeAccessToken({ id, name, scopes, createdAtMs, expiresAtMs, revokedAtMs }: AccessToken) {
  return {
    id,
    name,
    scopes,
    created_at: viewTime(createdAtMs),
    expires_at: viewTime(expiresAtMs),
    revoked_at: viewTime(revokedAtMs),
  };
}

/** Access tokens of one person, managed by themselves or by an operator. */

/** A page of tokens, newest first, including expired and revoked tokens. */
export function pageOfTokens({ id: personId }: Person, { query, cursors }: Call<unknown, PageQuery>, platform: Platform) {
  const { limit, after } = readPage(query, cursors, ["string"]);
  const tokens = platform.accessTokens.listOf(personId);
  const from = after === undefined ? 0 : tokens.findIndex(({ id }) => id === after[0]) + 1;
  return toPage(
    cursors,
    tokens.slice(from),
    limit,
    (token) => viewAccessToken(token, platform),
    ({ id }) => [id],
  );
}

/** Revokes a token and returns it. Another person's token is reported as not found. */
export async function revokeTokenOf(person: Person, id: string, { change }: Pick<Call, "change">, platform: Platform) {
  const { record } = await platform.accessTokens.revoke(id, (current) => {
    const token = existingTokenOf(person, current, id);
    const revoked = { ...token, revokedAtMs: token.revokedAtMs ?? platform.nowMs() };
    const what = { before: describeAccessToken(token), after: describeAccessToken(revoked), accountId: person.accountId };
    return { record: revoked, change: change("access_token.revoke", { kind: "access_token", id }, what) };
  });
  return viewAccessToken(record, platform);
}

/** Finds a token by its id. */
export function findTokenOf(person: Person, id: string, platform: Platform): AccessToken {
  return existingTokenOf(person, platform.accessTokens.find(id), id);
}

function existingTokenOf(person: Person, token: AccessToken | undefined, id: string): AccessToken {
  if (token && token.personId === person.id) return token;
  throw unknownId("unknown_access_token", "access token", id);
}

/** Access tokens of service identities: machines without a browser to sign in with. */

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
 * POST /api/access-tokens: creates a token of a service identity. It requires the operator token, which a machine without a browser has. No
 * access token can therefore create another.
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

/** A token that belongs to a person is reported as not found. */
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
