import { operators } from "../../../access/access.ts";
import { makePerson, normalizeEmail } from "../../../access/person.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { emailSchema } from "../../../access/email-schema.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { accountFor } from "./account-for.ts";
import { findPerson } from "./find-person.ts";
import { invitedPersonSchema, makeInvitation } from "./invitation-view.ts";
import { roleSchema, viewPerson } from "./person-view.ts";

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
