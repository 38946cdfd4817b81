import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { personSchema, viewPerson } from "../people/person-view.ts";

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
