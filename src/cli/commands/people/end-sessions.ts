import { platformCommand } from "../../platform-command.ts";
import type { PersonView } from "../../views.ts";
import { PERSON } from "./person-operand.ts";

export const endSessions = platformCommand<PersonView>({
  summary: "Ends every session of a person: whoever is signed in as them has to sign in anew.",
  details: "Their access tokens go on; people disable ends those too.",
  examples: ["people end-sessions 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "DELETE /api/people/{id}/sessions",
  print: ({ id, name }) => `Ended the sessions of ${id} (${name}).\n`,
});
