import { platformCommand } from "../../platform-command.ts";
import type { PersonView } from "../../views.ts";
import { PERSON } from "./person-operand.ts";
import { describePerson } from "./person-words.ts";

export const showPerson = platformCommand<PersonView>({
  summary: "Shows a person: what they may do, and how they sign in.",
  examples: ["people show 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "GET /api/people/{id}",
  print: describePerson,
});
