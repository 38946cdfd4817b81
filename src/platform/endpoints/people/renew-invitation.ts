import { operators } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findPerson } from "./find-person.ts";
import { invitedPersonSchema, makeInvitation } from "./invitation-view.ts";
import { viewPerson } from "./person-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

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
      const person = findPerson(param("id"), platform);
      if (person.disabledAtMs !== null) throw new ApiError("state_conflict", "This person is disabled. Enable them first.");
      const { invitation, shown } = makeInvitation(platform);
      const invited = { ...person, invitation };
      const what = { before: viewPerson(person), after: viewPerson(invited), accountId: person.accountId };
      await platform.people.put(invited, change("person.invite", { kind: "person", id: person.id }, what));
      return Reply.json({ ...viewPerson(invited), invitation: shown }, { status: 201 });
    },
  });
}
