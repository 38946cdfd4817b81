import { ROLES } from "../../../access/person.ts";
import { choice, required, text } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import type { PersonView } from "../../views.ts";
import { describeInvitation, type Invitation } from "./invitation-words.ts";

export const invitePerson = platformCommand<PersonView & { readonly invitation: Invitation | null }>({
  summary: "Adds a person and shows the link with which they choose a password, this once.",
  details: "Operators may do everything. Members see to one account: its keys, usage, receipts and credit.",
  examples: [
    "people invite ada@example.com --name 'Ada Lovelace' --role operator",
    "people invite max@example.com --name Max --role member --account default",
  ],
  operands: [{ name: "EMAIL", field: "email", meaning: "what they sign in with" }],
  options: {
    name: required(text("name", "what they are called"), "say what they are called: --name 'Ada Lovelace'"),
    role: required(choice("role", ROLES, "what they may do"), "say what they may do: --role operator, or --role member --account ID"),
    account: text("account", "the account of a member", "ACCOUNT"),
  },
  call: "POST /api/people",
  print: describeInvitation,
});
