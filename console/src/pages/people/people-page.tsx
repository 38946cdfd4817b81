import { getRouteApi, Link } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Person } from "../../../../platform-client/types.ts";
import { usePages } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Select } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable, rowLink, type Column } from "../../parts/table.tsx";
import { AccountPicker } from "../../parts/resource-pickers.tsx";
import { Time } from "../../parts/time.tsx";
import { InvitePerson } from "./invite-person.tsx";
import { PersonBadge } from "./person-badge.tsx";

const route = getRouteApi("/signed-in/people");

const ROLES = [
  { value: "", label: "Any role" },
  { value: "operator", label: "Operators" },
  { value: "member", label: "Members" },
];

const COLUMNS: readonly Column<Person>[] = [
  {
    title: "Name",
    cell: ({ id, name }) => (
      <Link to="/people/$id" params={{ id }} className={rowLink} title={name}>
        {name}
      </Link>
    ),
    className: "max-w-44!",
  },
  { title: "Email", cell: ({ email }) => <span title={email}>{email}</span>, from: "md", className: "max-w-52!" },
  { title: "Role", cell: ({ role }) => role, from: "sm" },
  {
    title: "Account",
    cell: ({ account }) => (account === null ? <span className="text-ink-3">–</span> : <span title={account}>{account}</span>),
    from: "lg",
    className: "max-w-40!",
  },
  { title: "State", cell: (person) => <PersonBadge person={person} /> },
  { title: "Added", cell: ({ created_at }) => <Time at={created_at} />, from: "xl" },
];

export function PeoplePage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const people = usePages("listPeople", { query: { ...search, limit: 50 } });
  const [isInviting, setInviting] = useState(false);
  const invite = (
    <Button weight="primary" onClick={() => setInviting(true)}>
      <UserPlus size={14} aria-hidden />
      Invite person
    </Button>
  );
  return (
    <Page title="People" docs="access#people" about="Operators manage the whole gateway. Members manage one account." actions={invite}>
      <div className="flex flex-wrap gap-2">
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
          placeholder="Any account"
          className="flex-1 sm:w-44 sm:flex-none"
          value={search.account ?? null}
          onPick={(account) => void navigate({ search: { ...search, account: account ?? "" } })}
        />
      </div>
      <div className="card overflow-hidden">
        <PagedTable
          label="People"
          of={people}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={
            <Empty title="No matching people" action={<Button onClick={() => void navigate({ search: {} })}>Show all people</Button>}>
              The search matches any part of a name or email address.
            </Empty>
          }
        />
      </div>
      {isInviting && <InvitePerson onClose={() => setInviting(false)} />}
    </Page>
  );
}
