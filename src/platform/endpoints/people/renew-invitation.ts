import { operators } from "../../../access/access.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findPerson } from "./find-person.ts";
import { invitedPersonSchema, makeInvitation } from "./invitation-view.ts";
import { viewPerson } from "./person-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** POST /api/people/:id/invitation: a new link, for a lost one or a forgotten password. The password stays until it is used. */
export function inviteAgain(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/people/:id/invitation",
    access: operators("people:write"),
    operationId: "inviteAgain",
    summary: "Makes a new link with which a person chooses a password. An earlier one stops working.",
    reply: { status: 201, description: "The person, and the link.", json: invitedPersonSchema },
    async run({ param, change }) {
      const person = findPerson(param("id"), platform);
      if (person.disabledAtMs !== null) throw new GatewayError("move_refused", "This person is disabled. Let them in again first.");
      const { invitation, shown } = makeInvitation(platform);
      const invited = { ...person, invitation };
      const what = { before: viewPerson(person), after: viewPerson(invited), accountId: person.accountId };
      await platform.people.put(invited, change("person.invite", { kind: "person", id: person.id }, what));
      return Reply.json({ ...viewPerson(invited), invitation: shown }, { status: 201 });
    },
  });
}
