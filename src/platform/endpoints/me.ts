import { type Actor, SCOPES } from "../../access/access.ts";
import { type Person, withoutSessions } from "../../access/person.ts";
import { isSignedIn, type Session, endOf } from "../../access/session.ts";
import type { Platform } from "../platform.ts";
import { unknownId, timeSchema, viewTime } from "./fields.ts";
import { serviceOf, issueAccessToken } from "../../access/access-token.ts";
import { operation, type Operation, type Call } from "../operation.ts";
import { personSchema, roleSchema, viewPerson } from "./people.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import type { Infer } from "../../lib/schema/infer.ts";
import { ApiError } from "../../requests/api-error.ts";
import { renewSession } from "../sign-in/open-session.ts";
import { newPasswordSchema, passwordSchema } from "../sign-in/passwords.ts";
import { refuseWeak } from "../sign-in/weak-passwords.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import { COOKIE_HEADERS } from "../sign-in/platform-cookie.ts";
import {
  accessTokenSchema,
  describeAccessToken,
  expirySchema,
  readExpiry,
  scopesSchema,
  viewAccessToken,
  findTokenOf,
  pageOfTokens,
  revokeTokenOf,
} from "./access-tokens.ts";
import { pageQuery, pageSchema } from "../paging.ts";

/** The signed-in person. Only for operations that require a session, where there always is one. */
export function findOneself(actor: Actor, platform: Platform): Person {
  return platform.people.find(actor.personId!)!;
}

/** The actor's sessions, newest first. */
function listOwnSessions(actor: Actor, platform: Platform): readonly Session[] {
  const person = findOneself(actor, platform);
  return platform.sessions.listOf(person.id).filter((session) => isSignedIn(session, person, platform.nowMs()));
}

/** One of the actor's sessions. Another person's session is reported as not found. */
export function findOwnSession(id: string, actor: Actor, platform: Platform): Session {
  const session = listOwnSessions(actor, platform).find((each) => each.id === id);
  if (session) return session;
  throw unknownId("unknown_session", "session", id);
}

const CREDENTIALS = ["session", "access_token", "operator_token"] as const;

/** GET /api/me: the identity behind this request's credential. */
export function showMe(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/me",
    access: "signed-in",
    operationId: "showMe",
    summary: "Show the current identity and its permissions",
    reply: {
      status: 200,
      description: "The current identity.",
      json: {
        title: "Me",
        type: "object",
        required: ["credential", "role", "account", "scopes", "person", "service"],
        properties: {
          credential: { type: "string", enum: CREDENTIALS },
          role: roleSchema,
          account: { type: "string", nullable: true, description: "The only accessible account; null for all accounts." },
          scopes: {
            type: "array",
            nullable: true,
            items: { type: "string", enum: SCOPES },
            description: "The scopes of the access token; null for all permissions of the role.",
          },
          person: {
            ...personSchema,
            title: "MePerson",
            nullable: true,
            description: "The person; null for the operator token, which belongs to nobody, and for the access token of a service.",
          },
          service: { type: "string", nullable: true, description: "The service identity of the access token, if it has one." },
        },
      },
    },
    run({ actor: { id, personId, sessionId, role, accountId, scopes } }) {
      const credential: (typeof CREDENTIALS)[number] = sessionId !== null ? "session" : scopes !== null ? "access_token" : "operator_token";
      const person = personId === null ? null : viewPerson(platform.people.find(personId)!);
      const service = serviceOf({ personId: id }) ?? null;
      return { credential, role, account: accountId, scopes, person, service };
    },
  });
}

/** PATCH /api/me: the fields that people may change themselves. Role, account and email are for operators. */
export function updateMe(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/me",
    access: "session",
    operationId: "updateMe",
    summary: "Update your own profile. Only the given fields change.",
    body: { title: "UpdateMeRequest", type: "object", additionalProperties: false, properties: { name: nameSchema } },
    reply: { status: 200, description: "The updated person.", json: personSchema },
    async run({ actor, body, change }) {
      const id = actor.personId!;
      const { record } = await platform.people.update(id, (current) => {
        const person = current!;
        const changed = { ...person, name: body.name ?? person.name };
        const what = { before: viewPerson(person), after: viewPerson(changed), accountId: person.accountId };
        return { record: changed, change: change("person.update", { kind: "person", id }, what) };
      });
      return viewPerson(record);
    },
  });
}

const requestSchema = {
  title: "ChangePasswordRequest",
  type: "object",
  additionalProperties: false,
  required: ["current", "new"],
  properties: { current: passwordSchema, new: newPasswordSchema },
} as const satisfies Schema;

type ChangePasswordRequest = Infer<typeof requestSchema>;

/** POST /api/me/password: sets a new password. All sessions end, and this one continues with a new cookie. */
export function changePassword(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/me/password",
    access: "session",
    operationId: "changePassword",
    summary: "Change your password. All other sessions end, and this one receives a new cookie.",
    body: requestSchema,
    reply: { status: 200, description: "The person.", headers: COOKIE_HEADERS, json: personSchema },
    async run(call) {
      const { id, sessionGeneration } = findOneself(call.actor, platform);
      refuseWeak(call.body.new, findOneself(call.actor, platform), "new");
      await checkCurrent(call, platform);
      const passwordHash = await platform.signIn.passwords.hash(call.body.new);
      const { record } = await platform.people.update(id, (current) => {
        const person = current!;
        // The person may have been disabled while the password was hashed: then no session may continue.
        if (person.sessionGeneration !== sessionGeneration) throw new ApiError("not_signed_in", "The session has ended.");
        const changed: Person = { ...withoutSessions(person), passwordHash, invitation: null };
        const what = { before: viewPerson(person), after: viewPerson(changed), accountId: person.accountId };
        return { record: changed, change: call.change("person.change_password", { kind: "person", id }, what) };
      });
      const cookie = await renewSession(record, call, platform);
      return Reply.json(viewPerson(record), { headers: { "set-cookie": cookie } });
    },
  });
}

/** Someone who finds an open browser must not be able to take over the account, nor to guess many passwords. */
async function checkCurrent({ actor, body, exchange }: Call<ChangePasswordRequest>, platform: Platform): Promise<void> {
  const { email, passwordHash } = findOneself(actor, platform);
  if (passwordHash === null) throw new ApiError("state_conflict", "You have no password. An operator can create a link to set one.");
  const { throttle, passwords } = platform.signIn;
  const attempt = throttle.admit(email, true, exchange.callerAddress(), platform.monotonicMs());
  if (!(await attempt.make(() => passwords.verify(body.current, passwordHash, true)))) {
    throw new ApiError("invalid_value", "current must be your current password.", { param: "current" });
  }
  attempt.succeed();
}

const sessionSchema = {
  title: "Session",
  type: "object",
  required: ["id", "current", "address", "user_agent", "created_at", "last_seen_at", "expires_at"],
  properties: {
    id: { type: "string" },
    current: { type: "boolean", description: "Whether this is the session of the request." },
    address: { type: "string", nullable: true, description: "The network address at sign-in." },
    user_agent: { type: "string", nullable: true, description: "The browser at sign-in." },
    created_at: timeSchema,
    last_seen_at: { ...timeSchema, description: "The time of the last request, to the minute." },
    expires_at: { ...timeSchema, description: "The time at which the session ends if it stays unused." },
  },
} as const satisfies Schema;

/** GET /api/me/sessions: the actor's sessions. */
export function listSessions(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/me/sessions",
    access: "session",
    operationId: "listSessions",
    summary: "List your sessions, newest first. There are at most fifty.",
    reply: {
      status: 200,
      description: "The sessions.",
      json: {
        title: "SessionList",
        type: "object",
        required: ["data"],
        properties: { data: { type: "array", items: sessionSchema } },
      },
    },
    run: ({ actor }) => ({ data: listOwnSessions(actor, platform).map((session) => viewSession(session, actor.sessionId)) }),
  });
}

function viewSession(session: Session, currentId: string | null) {
  return {
    id: session.id,
    current: session.id === currentId,
    address: session.address,
    user_agent: session.userAgent,
    created_at: viewTime(session.createdAtMs),
    last_seen_at: viewTime(session.lastSeenAtMs),
    expires_at: viewTime(endOf(session)),
  };
}

/** DELETE /api/me/sessions/:id: signs out another browser. */
export function endOwnSession(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/me/sessions/:id",
    access: "session",
    operationId: "endSession",
    summary: "End one of your sessions",
    reply: { status: 204, description: "The session has ended." },
    async run(call) {
      await endSession(findOwnSession(call.param("id"), call.actor, platform), "session.end", call, platform);
      return new Reply(null, { status: 204 });
    },
  });
}

export async function endSession(session: Session, action: string, { actor, change }: Call, platform: Platform): Promise<void> {
  await platform.sessions.end(session.hash, (current) => {
    // The session may have ended meanwhile, which already has an entry in the audit log.
    if (!current) return undefined;
    const { id } = current;
    return { change: change(action, { kind: "session", id }, { before: { session: id }, after: null, accountId: actor.accountId }) };
  });
}

const newAccessTokenSchema = {
  ...accessTokenSchema,
  title: "NewAccessToken",
  required: [...accessTokenSchema.required, "token"],
  properties: {
    ...accessTokenSchema.properties,
    token: { type: "string", nullable: true, description: "The plaintext token, shown only once, in the reply that created it." },
  },
} as const satisfies Schema;

/**
 * POST /api/me/access-tokens: creates a token for a program that acts for this person. It requires a session, so that no token can create
 * another.
 */
export function createAccessToken(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/me/access-tokens",
    access: "session",
    operationId: "createAccessToken",
    summary: "Create an access token. The plaintext token is shown only in this reply.",
    body: {
      title: "CreateAccessTokenRequest",
      type: "object",
      additionalProperties: false,
      required: ["name", "scopes", "expires_at"],
      properties: {
        name: { ...nameSchema, description: "The purpose of the token." },
        scopes: scopesSchema,
        expires_at: expirySchema,
      },
    },
    reply: { status: 201, description: "The token.", json: newAccessTokenSchema },
    async run({ actor, body, change }) {
      const nowMs = platform.nowMs();
      const wanted = { name: body.name, scopes: [...new Set(body.scopes)], expiresAtMs: readExpiry(body.expires_at, nowMs) };
      const { token, record } = issueAccessToken(findOneself(actor, platform), wanted, platform.hashSecret, nowMs);
      const what = { before: null, after: describeAccessToken(record), accountId: actor.accountId };
      await platform.accessTokens.add(record, change("access_token.create", { kind: "access_token", id: record.id }, what));
      return { ...viewAccessToken(record, platform), token: token.reveal() };
    },
    showCreated: (id, { actor }) => ({
      ...viewAccessToken(findTokenOf(findOneself(actor, platform), id, platform), platform),
      token: null,
    }),
  });
}

/** GET /api/me/access-tokens: the actor's access tokens, including expired and revoked tokens. */
export function listAccessTokens(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/me/access-tokens",
    access: "session",
    operationId: "listAccessTokens",
    summary: "List your access tokens, newest first",
    query: pageQuery,
    reply: { status: 200, description: "A page of access tokens.", json: pageSchema("AccessTokenPage", accessTokenSchema) },
    run: (call) => pageOfTokens(findOneself(call.actor, platform), call, platform),
  });
}

/** DELETE /api/me/access-tokens/:id: revokes the token from the next request on. Its record stays. */
export function revokeAccessToken(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/me/access-tokens/:id",
    access: "session",
    operationId: "revokeAccessToken",
    summary: "Revoke an access token permanently, from the next request on",
    reply: { status: 200, description: "The revoked token.", json: accessTokenSchema },
    run: (call) => revokeTokenOf(findOneself(call.actor, platform), call.param("id"), call, platform),
  });
}
