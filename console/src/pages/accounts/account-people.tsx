import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty, Fetched } from "../../parts/states.tsx";
import { rowLink, Table, type Column } from "../../parts/table.tsx";
import type { Person } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { PersonBadge } from "../people/person-badge.tsx";

const COLUMNS: readonly Column<Person>[] = [
  {
    title: "Name",
    cell: ({ id, name }) => (
      <Link to="/people/$id" params={{ id }} className={rowLink} title={name}>
        {name}
      </Link>
    ),
  },
  { title: "Email", cell: ({ email }) => <span title={email}>{email}</span> },
  { title: "State", cell: (person) => <PersonBadge person={person} />, from: "sm" },
];

/** The members of an account, for operators. */
export function AccountPeople({ account }: { readonly account: string }): ReactNode {
  const people = useApiQuery("listPeople", { query: { account, limit: 10 } });
  return (
    <Section
      title="Members"
      flush
      actions={
        <Link to="/people" search={{ account }} className={buttonClass("quiet", true)}>
          All members
        </Link>
      }
    >
      <Fetched of={people} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No members yet">Invite people on the People page. Members see only this account.</Empty>
          ) : (
            <Table label="Members" columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
          )
        }
      </Fetched>
    </Section>
  );
}
