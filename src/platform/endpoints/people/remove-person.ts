import { operators } from "../../../access/access.ts";
import type { Person } from "../../../access/person.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { existingPerson } from "./find-person.ts";
import { personSchema, viewPerson } from "./person-view.ts";

/** DELETE /api/people/:id: removes a person who has never signed in, with the invitation. */
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

/** The audit log names people by their ids, and who has never signed in has changed nothing. */
function refuseKnown({ id, passwordHash, identity }: Person): void {
  if (passwordHash === null && identity === null) return;
  const how = identity === null ? "has set a password" : "has signed in with the OpenID provider";
  throw new ApiError(
    "still_in_use",
    `The person ${id} cannot be removed: they ${how}, and the audit log may name them. Archive them instead.`,
  );
}
