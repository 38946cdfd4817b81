import { platformCommand } from "../../platform-command.ts";
import type { PersonView } from "../../views.ts";
import { describeInvitation, type Invitation } from "./invitation-words.ts";
import { PERSON } from "./person-operand.ts";

export const inviteAgain = platformCommand<PersonView & { readonly invitation: Invitation | null }>({
  summary: "Makes a new link with which a person chooses a password: for a lost link, or a forgotten password.",
  details: "An earlier link stops working. Their password, if they have one, works until the link is used.",
  examples: ["people invitation 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "POST /api/people/{id}/invitation",
  print: describeInvitation,
});
