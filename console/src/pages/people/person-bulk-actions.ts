import type { Person, UpdatePersonRequest } from "../../../../platform-client/types.ts";
import { call } from "../../platform/call.ts";
import type { BulkAction } from "../../parts/list/bulk-dialog.tsx";

function update(body: UpdatePersonRequest): (person: Person) => Promise<unknown> {
  return ({ id }) => call("updatePerson", { path: { id }, body });
}

const DELETE: BulkAction<Person> = {
  label: "Delete",
  done: "deleted",
  about: "Only people who have never signed in can be deleted. Their invitation links become invalid. This cannot be undone.",
  run: ({ id }) => call("removePerson", { path: { id } }),
};

const ARCHIVED: readonly BulkAction<Person>[] = [
  {
    label: "Restore",
    done: "restored",
    about: "Restored people are in the list again. They stay disabled until you enable them.",
    weight: "primary",
    run: update({ archived: false }),
  },
  DELETE,
];

const LISTED: readonly BulkAction<Person>[] = [
  {
    label: "Enable",
    done: "enabled",
    about: "They can sign in again with their previous roles. Their earlier access tokens stay revoked.",
    weight: "primary",
    run: update({ disabled: false }),
  },
  {
    label: "Disable",
    done: "disabled",
    about: "Ends their sessions and access tokens immediately. They cannot sign in until you enable them.",
    run: update({ disabled: true }),
  },
  {
    label: "Archive",
    done: "archived",
    about: "Archived people are disabled and hidden from the list. You can restore them.",
    run: update({ archived: true }),
  },
  DELETE,
];

/** The actions on selected people, who may include the operator who acts: with all rows selected, nobody means themselves. */
export function personActions(isArchived: boolean, self: string | undefined): readonly BulkAction<Person>[] {
  return (isArchived ? ARCHIVED : LISTED).map((action) => ({
    ...action,
    run: (person, typed) => (person.id === self ? Promise.reject(new Error("This is you.")) : action.run(person, typed)),
  }));
}
