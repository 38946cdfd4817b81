import { Link } from "@tanstack/react-router";
import { exactMoney, money } from "../../parts/format.ts";
import { Mono } from "../../parts/code.tsx";
import { rowLink, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { Key } from "../../../../platform-client/types.ts";
import { formatLimits, formatModels } from "../../limits-and-usage/access-policy.ts";
import { KeyBadge } from "./key-badge.tsx";

const nothing = <span className="text-ink-3">–</span>;

const NAME: Column<Key> = {
  title: "Name",
  cell: ({ id, name }) => (
    <Link to="/keys/$id" params={{ id }} className={rowLink} title={name}>
      {name}
    </Link>
  ),
  className: "max-w-48!",
};

const ACCOUNT: Column<Key> = {
  title: "Account",
  cell: ({ account }) => <span title={account}>{account}</span>,
  from: "lg",
  className: "max-w-36!",
};

const REST: readonly Column<Key>[] = [
  { title: "State", cell: (key) => <KeyBadge of={key} /> },
  {
    title: "Models",
    cell: ({ models }) => <span title={models.join(", ")}>{formatModels(models)}</span>,
    from: "lg",
    className: "max-w-40!",
  },
  {
    title: "Rate limits",
    cell: ({ limits }) => <span title={formatLimits(limits)}>{formatLimits(limits) || nothing}</span>,
    from: "2xl",
    className: "max-w-48!",
  },
  {
    title: "Spent this month",
    cell: ({ spent }) => <span title={exactMoney(spent.month)}>{money(spent.month)}</span>,
    figures: true,
    from: "sm",
  },
  { title: "Monthly cap", cell: ({ caps }) => (caps.month == null ? nothing : exactMoney(caps.month)), figures: true, from: "xl" },
  {
    title: "Last used",
    cell: ({ last_used_at: at }) => (at === null ? <span className="text-ink-3">never</span> : <Time at={at} />),
    from: "sm",
  },
];

const ID: Column<Key> = { title: "ID", cell: ({ id }) => <Mono>{id}</Mono>, from: "md" };

/** Members see only one account, so their list has no account column. */
export const KEY_COLUMNS: readonly Column<Key>[] = [NAME, ID, ACCOUNT, ...REST];
export const KEY_COLUMNS_OF_ACCOUNT: readonly Column<Key>[] = [NAME, ID, ...REST];
