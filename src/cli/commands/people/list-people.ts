import { ROLES } from "../../../access/person.ts";
import { listCommand } from "../../list-command.ts";
import { choice, text } from "../../options.ts";
import type { PersonView } from "../../views.ts";
import { inDay } from "../../words.ts";
import { stateOfPerson } from "./person-words.ts";

export const listPeople = listCommand<PersonView>({
  summary: "Lists people, newest first.",
  examples: ["people list", "people list --role operator", "people list --account default --search max"],
  options: {
    role: choice("role", ROLES, "those who have this role"),
    account: text("account", "the members of one account", "ACCOUNT"),
    search: text("search", "those whose name or email has this in it"),
  },
  call: "GET /api/people",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "STATE", cell: stateOfPerson },
    { heading: "ROLE", cell: ({ role }) => role },
    { heading: "ACCOUNT", cell: ({ account }) => account ?? "", isLong: true },
    { heading: "CREATED", cell: (person) => inDay(person.created_at) },
    { heading: "EMAIL", cell: ({ email }) => email, isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});
