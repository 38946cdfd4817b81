import { operators } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { existingPerson } from "./find-person.ts";
import { invitedPersonSchema, makeInvitation } from "./invitation-view.ts";
import { viewPerson } from "./person-view.ts";

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
