import {
  ROLES,
  type Person,
  type Role,
  makePerson,
  normalizeEmail,
  disabled,
  withoutAccessTokens,
  withoutSessions,
} from "../../access/person.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { timeSchema, viewTime, unknownId, nextStateTimestamp } from "./fields.ts";
import { makeLink } from "../../access/one-time-link.ts";
import type { Platform } from "../platform.ts";
import { type Actor, operators } from "../../access/access.ts";
import { ApiError } from "../../requests/api-error.ts";
import { requireAccount } from "./find-resource.ts";
import { operation, type Operation } from "../operation.ts";
import { emailSchema } from "../../access/email-schema.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import { isListed, sortedPage, searchFor, sortedListQuery, sortedListSchema, type SortOrders } from "../sorted-list.ts";
import type { Infer } from "../../lib/schema/infer.ts";
import { renewSession } from "../sign-in/open-session.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import { COOKIE_HEADERS } from "../sign-in/platform-cookie.ts";
import { pageQuery, pageSchema } from "../paging.ts";
import { accessTokenSchema, pageOfTokens, revokeTokenOf } from "./access-tokens.ts";

export const roleSchema = {
  type: "string",
  enum: ROLES,
  description: "`operator`: full access. `member`: access to one account.",
} as const satisfies Schema;

export const personSchema = {
  title: "Person",
  type: "object",
  required: [
    "id",
    "email",
    "name",
    "role",
    "account",
    "has_password",
    "has_identity",
    "invited_until",
    "created_at",
    "disabled_at",
    "archived_at",
  ],
  properties: {
    id: { type: "string" },
    email: { type: "string", description: "The email address in lower case, unique among people." },
    name: { type: "string" },
    role: roleSchema,
    account: { type: "string", nullable: true, description: "The account of a member. Operators have none." },
    has_password: { type: "boolean", description: "Whether the person has set a password." },
    has_identity: { type: "boolean", description: "Whether the person has signed in with the OpenID provider (SSO)." },
    invited_until: {
      ...timeSchema,
      nullable: true,
      description: "The expiry time of the person's invitation link; null when there is none.",
    },
    created_at: timeSchema,
    disabled_at: { ...timeSchema, nullable: true, description: "The time at which the person was disabled; null when they are not." },
    archived_at: { ...timeSchema, nullable: true, description: "Since when the person is archived; null when they are not." },
  },
} as const satisfies Schema;

/** A person as the API returns them and as the audit log records them. It contains no secret. */
export function viewPerson(person: Person) {
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    role: person.role,
    account: person.accountId,
    has_password: person.passwordHash !== null,
    has_identity: person.identity !== null,
    invited_until: viewTime(person.invitation?.expiresAtMs ?? null),
    created_at: viewTime(person.createdAtMs),
    disabled_at: viewTime(person.disabledAtMs),
    archived_at: viewTime(person.archivedAtMs),
  };
}

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

const invitationSchema = {
  title: "Invitation",
  type: "object",
  nullable: true,
  description: "The one-time link to set a password. Null when it was shown before.",
  required: ["url", "expires_at"],
  properties: { url: { type: "string" }, expires_at: timeSchema },
} as const satisfies Schema;

const invitedPersonSchema = {
  ...personSchema,
  title: "InvitedPerson",
  required: [...personSchema.required, "invitation"],
  properties: { ...personSchema.properties, invitation: invitationSchema },
} as const satisfies Schema;

/** A new link: the record to store, and the URL to show once. */
function makeInvitation(platform: Platform) {
  const { token, link } = makeLink(LIFETIME_MS, platform.nowMs());
  return { invitation: link, shown: { url: welcomeUrl(platform.publicUrl(), token.reveal()), expires_at: viewTime(link.expiresAtMs) } };
}

/** The token is in the URL fragment, which browsers do not send, so that it appears in no log. */
export function welcomeUrl(address: string, token: string): string {
  return `${address}/welcome#${token}`;
}

/** The account for a role: required for members, none for operators. */
function accountFor(role: Role, account: string | null | undefined, actor: Actor, platform: Platform): string | null {
  if (role === "member") {
    if (account != null) return requireAccount(account, actor, platform).id;
    throw new ApiError("missing_required_parameter", "account is required for a member.", { param: "account" });
  }
  if (account == null) return null;
  throw new ApiError("invalid_value", "account must be omitted for an operator.", { param: "account" });
}

/** A person. For operators only: members see only themselves. */
function findPerson(id: string, platform: Platform): Person {
  return existingPerson(platform.people.find(id), id);
}

/** The person, or an error if the search by ID found none. */
function existingPerson(person: Person | undefined, id: string): Person {
  if (person) return person;
  throw unknownId("unknown_person", "person", id);
}

/** POST /api/people: creates a person and a link to set a password. */
export function invitePerson(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/people",
    access: operators("people:write"),
    operationId: "invitePerson",
    summary: "Invite a person. The invitation link is shown only in this reply.",
    body: {
      title: "InvitePersonRequest",
      type: "object",
      additionalProperties: false,
      required: ["email", "name", "role"],
      properties: {
        email: emailSchema,
        name: nameSchema,
        role: roleSchema,
        account: { type: "string", description: "The account of a member. Operators have none." },
      },
    },
    reply: { status: 201, description: "The person and the invitation link.", json: invitedPersonSchema },
    async run({ actor, body, change }) {
      const { name, role } = body;
      const accountId = accountFor(role, body.account, actor, platform);
      const { invitation, shown } = makeInvitation(platform);
      const person = makePerson({ email: normalizeEmail(body.email), name, role, accountId, invitation }, platform.nowMs());
      const what = { before: null, after: viewPerson(person), accountId };
      const created = { record: person, change: change("person.create", { kind: "person", id: person.id }, what) };
      await platform.people.update(person.id, () => created);
      return { ...viewPerson(person), invitation: shown };
    },
    showCreated: (id) => ({ ...viewPerson(findPerson(id, platform)), invitation: null }),
  });
}

const SORTS: SortOrders<Person> = {
  created: { valueOf: ({ createdAtMs }) => createdAtMs, direction: "desc" },
  name: { valueOf: ({ name }) => name.toLowerCase(), direction: "asc" },
  email: { valueOf: ({ email }) => email, direction: "asc" },
};

/** GET /api/people: a page of people, newest first. */
export function listPeople(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/people",
    access: operators("people:read"),
    operationId: "listPeople",
    summary: "List people, newest first by default",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "People whose name or email contains this text." },
      role: { ...roleSchema, description: "People with this role." },
      account: { type: "string", description: "Members of one account." },
      ...sortedListQuery("people", Object.keys(SORTS)),
    },
    reply: { status: 200, description: "A page of people.", json: sortedListSchema("PersonPage", personSchema) },
    async run({ query, cursors }) {
      const hasText = searchFor(query.search);
      return sortedPage(query, cursors, {
        items: await platform.people.list(),
        isMatch: ({ name, email, role, accountId, archivedAtMs }) =>
          isListed(query, archivedAtMs) &&
          (query.role === undefined || query.role === role) &&
          (query.account === undefined || query.account === accountId) &&
          hasText(name, email),
        sorts: SORTS,
        viewer: () => viewPerson,
      });
    },
  });
}

/** GET /api/people/:id: a person. */
export function showPerson(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/people/:id",
    access: operators("people:read"),
    operationId: "showPerson",
    summary: "Show a person",
    reply: { status: 200, description: "The person.", json: personSchema },
    run: ({ param }) => viewPerson(findPerson(param("id"), platform)),
  });
}

const requestSchema = {
  title: "UpdatePersonRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    name: nameSchema,
    role: roleSchema,
    account: { type: "string", description: "The account of a member." },
    disabled: { type: "boolean", description: "Whether the person is disabled." },
    archived: {
      type: "boolean",
      description: "Whether the person is archived: disabled, and hidden from lists. A restored person stays disabled.",
    },
  },
} as const satisfies Schema;

type PersonChanges = Infer<typeof requestSchema>;

/** PATCH /api/people/:id: updates the given fields. A person whose access changes must sign in again. */
export function updatePerson(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/people/:id",
    access: operators("people:write"),
    operationId: "updatePerson",
    summary:
      "Update a person. Only the given fields change. A new role or account ends their sessions and a member's access tokens; disabling and archiving end all of them.",
    body: requestSchema,
    reply: { status: 200, description: "The updated person.", headers: COOKIE_HEADERS, json: personSchema },
    async run(call) {
      const { actor, body, param, change } = call;
      const id = param("id");
      const { before, record: changed } = await platform.people.update(id, (current) => {
        const person = existingPerson(current, id);
        const record = withAccess(withReach({ ...person, name: body.name ?? person.name }, body, actor, platform), body, platform.nowMs());
        refuseToLoseOperators(person, record, platform);
        const what = { before: viewPerson(person), after: viewPerson(record), accountId: record.accountId };
        return { before: person, record, change: change("person.update", { kind: "person", id }, what) };
      });
      const isOwn = actor.personId === id && actor.sessionId !== null;
      const goesOn = isOwn && changed.sessionGeneration !== before.sessionGeneration && changed.disabledAtMs === null;
      const headers = goesOn ? { "set-cookie": await renewSession(changed, call, platform) } : {};
      return Reply.json(viewPerson(changed), { headers });
    },
  });
}

function withReach(person: Person, changes: PersonChanges, actor: Actor, platform: Platform): Person {
  if (changes.role === undefined && changes.account === undefined) return person;
  const role = changes.role ?? person.role;
  const accountId = accountFor(role, changes.account ?? (role === "member" ? person.accountId : null), actor, platform);
  if (role === person.role && accountId === person.accountId) return person;
  // A former member's tokens must not gain access later. A former operator's tokens have less access now.
  const stripped = person.role === "member" ? withoutAccessTokens(person) : person;
  return { ...withoutSessions(stripped), role, accountId };
}

/** An archived person is also disabled, so that nobody who is hidden from lists has access. */
function withAccess(person: Person, changes: PersonChanges, nowMs: number): Person {
  const archivedAtMs = nextStateTimestamp(changes.archived, person.archivedAtMs, nowMs);
  if (changes.disabled === false && archivedAtMs !== null) {
    throw new ApiError("state_conflict", "This person is archived. Restore them first.");
  }
  const shallBeDisabled = changes.archived ? true : changes.disabled;
  const archived = { ...person, archivedAtMs };
  if (shallBeDisabled === undefined || shallBeDisabled === (person.disabledAtMs !== null)) return archived;
  return shallBeDisabled ? disabled(archived, nowMs) : { ...archived, disabledAtMs: null };
}

/** Without an operator, nobody could invite people, and only someone with access to the machine could fix that. */
function refuseToLoseOperators(before: Person, after: Person, platform: Platform): void {
  const isLost = isOperator(before) && !isOperator(after);
  if (!isLost || platform.people.countOperators() > 1) return;
  throw new ApiError("state_conflict", "This is the last operator. Make another person an operator first.");
}

function isOperator({ role, disabledAtMs }: Person): boolean {
  return role === "operator" && disabledAtMs === null;
}

/**
 * POST /api/people/:id/invitation: a new link, for a lost link or a forgotten password. The old password stays valid until the link is
 * used.
 */
export function renewInvitation(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/people/:id/invitation",
    access: operators("people:write"),
    operationId: "renewInvitation",
    summary: "Create a new invitation link for a person. The earlier link becomes invalid.",
    reply: { status: 201, description: "The person and the invitation link.", json: invitedPersonSchema },
    async run({ param, change }) {
      const id = param("id");
      const { record, link } = await platform.people.update(id, (current) => {
        const person = existingPerson(current, id);
        if (person.disabledAtMs !== null) throw new ApiError("state_conflict", "This person is disabled. Enable them first.");
        const { invitation, shown } = makeInvitation(platform);
        const invited = { ...person, invitation };
        const what = { before: viewPerson(person), after: viewPerson(invited), accountId: person.accountId };
        return { record: invited, link: shown, change: change("person.invite", { kind: "person", id }, what) };
      });
      return { ...viewPerson(record), invitation: link };
    },
  });
}

/** DELETE /api/people/:id/sessions: ends all sessions of a person, who must sign in again. Access tokens stay valid. */
export function endSessions(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/people/:id/sessions",
    access: operators("people:write"),
    operationId: "endSessions",
    summary: "End all sessions of a person. Access tokens stay valid.",
    reply: { status: 200, description: "The person.", json: personSchema },
    async run({ param, change }) {
      const id = param("id");
      const { shown } = await platform.people.update(id, (current) => {
        const person = existingPerson(current, id);
        const view = viewPerson(person);
        const what = { before: view, after: view, accountId: person.accountId };
        return { record: withoutSessions(person), shown: view, change: change("person.end_sessions", { kind: "person", id }, what) };
      });
      return shown;
    },
  });
}

/** DELETE /api/people/:id: removes a person who has never signed in, together with the invitation. */
export function removePerson(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/people/:id",
    access: operators("people:write"),
    operationId: "removePerson",
    summary: "Remove a person who has never signed in. The invitation link becomes invalid.",
    reply: { status: 200, description: "The removed person.", json: personSchema },
    async run({ param, change }) {
      const id = param("id");
      const { removed } = await platform.people.remove(id, (current) => {
        const person = existingPerson(current, id);
        refuseKnown(person);
        const view = viewPerson(person);
        const what = { before: view, after: null, accountId: person.accountId };
        return { removed: view, change: change("person.remove", { kind: "person", id }, what) };
      });
      return removed;
    },
  });
}

/** The audit log refers to people by their IDs. A person who has never signed in has changed nothing. */
function refuseKnown({ id, passwordHash, identity }: Person): void {
  if (passwordHash === null && identity === null) return;
  const how = identity === null ? "has set a password" : "has signed in with the OpenID provider";
  throw new ApiError(
    "still_in_use",
    `The person ${id} cannot be removed: they ${how}, and the audit log may name them. Archive them instead.`,
  );
}

/** GET /api/people/:id/access-tokens: the access tokens of a person. */
export function listTokensOfPerson(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/people/:id/access-tokens",
    access: operators("people:read"),
    operationId: "listTokensOfPerson",
    summary: "List a person's access tokens, newest first",
    query: pageQuery,
    reply: { status: 200, description: "A page of access tokens.", json: pageSchema("AccessTokenPage", accessTokenSchema) },
    run: (call) => pageOfTokens(findPerson(call.param("id"), platform), call, platform),
  });
}

/** DELETE /api/people/:id/access-tokens/:tokenId: revokes a leaked token without affecting the person's other access. */
export function revokeTokenOfPerson(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/people/:id/access-tokens/:tokenId",
    access: operators("people:write"),
    operationId: "revokeTokenOfPerson",
    summary: "Revoke a person's access token permanently, from the next request on",
    reply: { status: 200, description: "The revoked token.", json: accessTokenSchema },
    run: (call) => revokeTokenOf(findPerson(call.param("id"), platform), call.param("tokenId"), call, platform),
  });
}
