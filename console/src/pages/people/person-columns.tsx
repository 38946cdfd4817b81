import { Link } from "@tanstack/react-router";
import type { Person } from "../../../../platform-client/types.ts";
import type { DataColumn } from "../../parts/data-table/data-column.ts";
import { rowLink } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { PersonBadge } from "./person-badge.tsx";

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
