import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { buttonClass } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty, Fetched } from "../../parts/states.tsx";
import { rowLink, Table, type Column } from "../../parts/table.tsx";
import type { Person } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";

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
  { title: "State", cell: (person) => <PersonState of={person} />, from: "sm" },
];

/** Who may look at an account and use it. For operators. */
export function AccountPeople({ account }: { readonly account: string }): ReactNode {
  const people = useLook("listPeople", { query: { account, limit: 10 } });
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
            <Empty title="No member yet">Invite people on the page of people: members see this account and nothing else.</Empty>
          ) : (
            <Table label="Members" columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
          )
        }
      </Fetched>
    </Section>
  );
}

function PersonState({ of }: { readonly of: Person }): ReactNode {
  if (of.disabled_at !== null) return <Badge>disabled</Badge>;
  return of.has_password || of.has_identity ? <Badge tone="good">active</Badge> : <Badge tone="warn">invited</Badge>;
}
