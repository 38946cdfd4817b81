import { operators } from "../../../access/access.ts";
import { withoutSessions } from "../../../access/person.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { existingPerson } from "./find-person.ts";
import { personSchema, viewPerson } from "./person-view.ts";

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
