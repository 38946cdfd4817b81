import { platformCommand } from "../../platform-command.ts";
import type { PersonView } from "../../views.ts";
import { PERSON } from "./person-operand.ts";

export const disablePerson = platformCommand<PersonView>({
  summary: "Keeps a person out: their sessions, access tokens and link end at once.",
  details: "The keys that they have made go on: they belong to the account.",
  examples: ["people disable 3fT9kQm2XyZ1"],
  operands: [PERSON],
  sets: { disabled: true },
  call: "PATCH /api/people/{id}",
  print: ({ id, name }) => `Disabled ${id} (${name}).\n`,
});

export const enablePerson = platformCommand<PersonView>({
  summary: "Lets a person in again, who was disabled. They have to sign in anew.",
  examples: ["people enable 3fT9kQm2XyZ1"],
  operands: [PERSON],
  sets: { disabled: false },
  call: "PATCH /api/people/{id}",
  print: ({ id, name }) => `Enabled ${id} (${name}).\n`,
});
