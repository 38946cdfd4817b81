import { operators } from "../../../access/access.ts";
import { withoutSessions } from "../../../access/person.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findPerson } from "./find-person.ts";
import { personSchema, viewPerson } from "./person-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

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
      const person = findPerson(param("id"), platform);
      const view = viewPerson(person);
      const what = { before: view, after: view, accountId: person.accountId };
      await platform.people.put(withoutSessions(person), change("person.end_sessions", { kind: "person", id: person.id }, what));
      return Reply.json(view);
    },
  });
}
