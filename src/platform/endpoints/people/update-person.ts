import type { Schema } from "../../../lib/schema/schema.ts";
import type { Infer } from "../../../lib/schema/infer.ts";
import { operators, type Actor } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { disabled, withoutAccessTokens, withoutSessions, type Person } from "../../../access/person.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { renewSession } from "../../sign-in/open-session.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { since } from "../fields/since.ts";
import { accountFor } from "./account-for.ts";
import { existingPerson } from "./find-person.ts";
import { personSchema, roleSchema, viewPerson } from "./person-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";
import { COOKIE_HEADERS } from "../../sign-in/platform-cookie.ts";

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
      const goesOn = isOwn && changed.sessionRound !== before.sessionRound && changed.disabledAtMs === null;
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
  // The tokens of a former member must not gain access later. Those of a former operator have less access now.
  const stripped = person.role === "member" ? withoutAccessTokens(person) : person;
  return { ...withoutSessions(stripped), role, accountId };
}

/** An archived person is disabled, so that nobody has access who is in no list. */
function withAccess(person: Person, changes: PersonChanges, nowMs: number): Person {
  const archivedAtMs = since(changes.archived, person.archivedAtMs, nowMs);
  if (changes.disabled === false && archivedAtMs !== null) {
    throw new ApiError("state_conflict", "This person is archived. Restore them first.");
  }
  const shallBeDisabled = changes.archived ? true : changes.disabled;
  const archived = { ...person, archivedAtMs };
  if (shallBeDisabled === undefined || shallBeDisabled === (person.disabledAtMs !== null)) return archived;
  return shallBeDisabled ? disabled(archived, nowMs) : { ...archived, disabledAtMs: null };
}

/** Without an operator nobody could invite, and only someone with access to the machine could repair that. */
function refuseToLoseOperators(before: Person, after: Person, platform: Platform): void {
  const isLost = isOperator(before) && !isOperator(after);
  if (!isLost || platform.people.countOperators() > 1) return;
  throw new ApiError("state_conflict", "This is the last operator. Make another person an operator first.");
}

function isOperator({ role, disabledAtMs }: Person): boolean {
  return role === "operator" && disabledAtMs === null;
}
