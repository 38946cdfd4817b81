import { ROLES } from "../../../access/person.ts";
import { choice, text } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import type { PersonView } from "../../views.ts";
import { PERSON } from "./person-operand.ts";
import { describePerson } from "./person-words.ts";

export const updatePerson = platformCommand<PersonView>({
  summary: "Changes what is given of a person. Another role or account ends their sessions.",
  examples: ["people update 3fT9kQm2XyZ1 --name 'Ada King'", "people update 3fT9kQm2XyZ1 --role member --account default"],
  operands: [PERSON],
  options: {
    name: text("name", "what they are called"),
    role: choice("role", ROLES, "what they may do"),
    account: text("account", "the account of a member", "ACCOUNT"),
  },
  call: "PATCH /api/people/{id}",
  print: describePerson,
});
