import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Account } from "../../../../platform-client/types.ts";
import type { DataColumn } from "../../parts/data-table/data-column.ts";
import { exactMoney, money } from "../../parts/format/format.ts";
import { rowLink } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { CreditBadge } from "./credit-badge.tsx";
import { creditStatusOf } from "./credit-status.ts";

function amount(dollars: string): ReactNode {
  return <span title={exactMoney(dollars)}>{money(dollars)}</span>;
}

export const ACCOUNT_COLUMNS: readonly DataColumn<Account>[] = [
  {
    id: "id",
    title: "ID",
    width: 130,
    grows: true,
    isFixed: true,
    sorts: "ascending",
    cell: ({ id }) => (
      <Link to="/accounts/$id" params={{ id }} className={rowLink} title={id}>
        {id}
      </Link>
    ),
  },
  {
    id: "name",
    title: "Name",
    width: 300,
    from: "md",
    sorts: "ascending",
    text: ({ name }) => name,
    cell: ({ name }) => <span title={name}>{name}</span>,
  },
  {
    id: "credit",
    title: "Credit",
    width: 130,
    from: "sm",
    text: (account) => (creditStatusOf(account) === "enough" ? "" : "out of credit"),
    cell: (account) => <CreditBadge of={account} />,
  },
  {
    id: "available",
    title: "Available",
    width: 120,
    figures: true,
    sorts: "ascending",
    cell: ({ available }) => (available === null ? "Unlimited" : amount(available)),
  },
  { id: "held", title: "Reserved", width: 110, figures: true, from: "lg", cell: ({ held }) => amount(held) },
  {
    id: "spent",
    title: "Spent, month (UTC)",
    width: 176,
    figures: true,
    from: "sm",
    sorts: "descending",
    cell: ({ spent }) => amount(spent.month),
  },
  {
    id: "cap",
    title: "Monthly cap",
    width: 150,
    figures: true,
    from: "lg",
    text: ({ caps }) => (caps.month == null ? "" : exactMoney(caps.month)),
    cell: ({ caps }) => (caps.month == null ? <span className="text-ink-3">–</span> : exactMoney(caps.month)),
  },
  {
    id: "created",
    title: "Created",
    width: 128,
    isOptional: true,
    sorts: "descending",
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];
