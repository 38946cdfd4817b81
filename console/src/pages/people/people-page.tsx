import { getRouteApi, Link } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { usePages, useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Select, TextField } from "../../parts/inputs/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/inputs/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { count } from "../../parts/format/format.ts";
import { FIRST_PAGE, LATER_PAGES, ListTable } from "../../parts/list/list-table.tsx";
import { AccountPicker } from "../../parts/inputs/resource-pickers.tsx";
import { useMe } from "../../shell/me.ts";
import type { Person, UpdatePersonRequest } from "../../../../platform-client/types.ts";
import type { DataColumn } from "../../parts/data-table/data-column.ts";
import { rowLink } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { PersonBadge } from "./person-badge.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { InvitationLink } from "./invitation-link.tsx";
import { roleIn, RoleFields, type RoleChoice } from "./role-fields.tsx";
import { call } from "../../platform/call.ts";
import type { BulkAction } from "../../parts/list/bulk-dialog.tsx";

const route = getRouteApi("/signed-in/people");

const ROLES = [
  { value: "", label: "All roles" },
  { value: "operator", label: "Operators" },
  { value: "member", label: "Members" },
];

export function PeoplePage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const people = usePages("listPeople", { query: { ...search, limit: FIRST_PAGE } }, LATER_PAGES);
  const self = useMe().person?.id;
  const [isInviting, setInviting] = useState(false);
  const invite = (
    <Button weight="primary" onClick={() => setInviting(true)}>
      <UserPlus size={14} aria-hidden />
      Invite person
    </Button>
  );
  return (
    <Page wide title="People" docs="access#people" about="Operators manage the whole gateway. Members manage one account." actions={invite}>
      <ListTable
        label="People"
        of={people}
        columns={PERSON_COLUMNS}
        nameOf={({ name, email }) => `${name} (${email})`}
        inWords={(total) => (total === 1 ? "1 person" : `${count(total)} people`)}
        search={search}
        onSearch={(change) => void navigate({ search: { ...search, ...change } })}
        usualSort="created"
        actions={personActions(search.archived === "true", self)}
        filters={
          <>
            <SearchBox
              label="Search people"
              value={search.search ?? ""}
              onSearch={(text) => void navigate({ search: { ...search, search: text }, replace: true })}
            />
            <Select
              aria-label="Role"
              className="flex-1 sm:w-36 sm:flex-none"
              choices={ROLES}
              value={search.role ?? ""}
              onChange={({ target }) => void navigate({ search: { ...search, role: target.value } })}
            />
            <AccountPicker
              isLabelHidden
              isClearable
              placeholder="All accounts"
              className="flex-1 sm:w-44 sm:flex-none"
              value={search.account ?? null}
              onPick={(account) => void navigate({ search: { ...search, account: account ?? "" } })}
            />
          </>
        }
        empty={
          <Empty title="No matching people" action={<Button onClick={() => void navigate({ search: {} })}>Show all people</Button>}>
            The search matches any part of a name or email address.
          </Empty>
        }
      />
      {isInviting && <InvitePerson onClose={() => setInviting(false)} />}
    </Page>
  );
}

export const PERSON_COLUMNS: readonly DataColumn<Person>[] = [
  {
    id: "name",
    title: "Name",
    width: 150,
    grows: true,
    isFixed: true,
    sorts: "ascending",
    cell: ({ id, name }) => (
      <Link to="/people/$id" params={{ id }} className={rowLink} title={name}>
        {name}
      </Link>
    ),
  },
  {
    id: "email",
    title: "Email",
    width: 320,
    from: "md",
    sorts: "ascending",
    text: ({ email }) => email,
    cell: ({ email }) => <span title={email}>{email}</span>,
  },
  { id: "role", title: "Role", width: 110, from: "sm", text: ({ role }) => role, cell: ({ role }) => role },
  {
    id: "account",
    title: "Account",
    width: 220,
    from: "lg",
    text: ({ account }) => account ?? "",
    cell: ({ account }) => (account === null ? <span className="text-ink-3">–</span> : <span title={account}>{account}</span>),
  },
  { id: "state", title: "State", width: 200, cell: (person) => <PersonBadge person={person} /> },
  { id: "created", title: "Added", width: 130, from: "xl", sorts: "descending", cell: ({ created_at }) => <Time at={created_at} /> },
];

/** Invites a person and shows the invitation link. */
export function InvitePerson({ onClose }: { readonly onClose: () => void }): ReactNode {
  const invite = useApiMutation("invitePerson");
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [choice, setChoice] = useState<RoleChoice>({ role: "member", account: null });
  const invitation = invite.data?.invitation;
  if (invitation) return <InvitationLink title={`${name} is invited`} name={name} invitation={invitation} onClose={onClose} />;
  return (
    <FormDialog
      title="Invite person"
      action="Invite person"
      change={invite}
      fields={["email", "name", "account"]}
      onSubmit={() => invite.mutate({ body: { email, name, ...roleIn(choice) } })}
      onClose={onClose}
    >
      <TextField
        label="Email"
        type="email"
        required
        autoFocus
        value={email}
        onChange={({ target }) => setEmail(target.value)}
        error={refusalAt(invite.error, "email")}
      />
      <TextField
        label="Name"
        required
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={refusalAt(invite.error, "name")}
      />
      <RoleFields choice={choice} onChoose={setChoice} error={refusalAt(invite.error, "account")} />
    </FormDialog>
  );
}

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

/** The actions on selected people. The selection may include the acting operator: a user who selects all rows does not mean themselves. */
export function personActions(isArchived: boolean, self: string | undefined): readonly BulkAction<Person>[] {
  return (isArchived ? ARCHIVED : LISTED).map((action) => ({
    ...action,
    run: (person, typed) => (person.id === self ? Promise.reject(new Error("This is you.")) : action.run(person, typed)),
  }));
}
