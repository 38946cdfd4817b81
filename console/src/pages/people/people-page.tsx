import { getRouteApi, Link } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Person } from "../../platform/interface.ts";
import { usePages } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Select } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable, rowLink, type Column } from "../../parts/table.tsx";
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
  },
  { title: "Email", cell: ({ email }) => <span title={email}>{email}</span>, from: "sm" },
  { title: "Role", cell: ({ role, account }) => (account === null ? role : `${role} of ${account}`) },
  { title: "State", cell: (person) => <PersonBadge person={person} /> },
  { title: "Added", cell: ({ created_at }) => <Time at={created_at} />, from: "lg" },
];

export function PeoplePage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const people = usePages("listPeople", { query: { ...search, limit: 50 } });
  const [isInviting, setInviting] = useState(false);
  const invite = (
    <Button weight="primary" onClick={() => setInviting(true)}>
      <UserPlus size={14} aria-hidden />
      Invite a person
    </Button>
  );
  return (
    <Page title="People" about="Operators may do everything. Members see to one account." actions={invite}>
      <div className="flex flex-wrap gap-2">
        <SearchBox
          label="Search people"
          value={search.search ?? ""}
          onSearch={(text) => void navigate({ search: { ...search, search: text }, replace: true })}
        />
        <Select
          aria-label="Role"
          className="w-36"
          choices={ROLES}
          value={search.role ?? ""}
          onChange={({ target }) => void navigate({ search: { ...search, role: target.value } })}
        />
      </div>
      <div className="card overflow-hidden">
        <PagedTable label="People" of={people} columns={COLUMNS} keyOf={({ id }) => id} empty={<Empty title="Nobody matches" />} />
      </div>
      {isInviting && <InvitePerson onClose={() => setInviting(false)} />}
    </Page>
  );
}
