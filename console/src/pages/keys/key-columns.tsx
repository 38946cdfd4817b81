import { Link } from "@tanstack/react-router";
import type { DataColumn } from "../../parts/data-table/data-column.ts";
import { ago, exactMoney, money } from "../../parts/format/format.ts";
import { Mono } from "../../parts/code.tsx";
import { rowLink } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { Key } from "../../../../platform-client/types.ts";
import { formatLimits, formatModels } from "../../limits-and-usage/access-policy.ts";
import { KeyBadge } from "./key-badge.tsx";
import { keyState } from "./key-state.ts";

const nothing = <span className="text-ink-3">–</span>;

const NAME: DataColumn<Key> = {
  id: "name",
  title: "Name",
  width: 200,
  grows: true,
  isFixed: true,
  sorts: "ascending",
  cell: ({ id, name }) => (
    <Link to="/keys/$id" params={{ id }} className={rowLink} title={name}>
      {name}
    </Link>
  ),
};

const ID: DataColumn<Key> = { id: "id", title: "ID", width: 128, from: "2xl", cell: ({ id }) => <Mono>{id}</Mono> };

const ACCOUNT: DataColumn<Key> = {
  id: "account",
  title: "Account",
  width: 180,
  from: "lg",
  sorts: "ascending",
  text: ({ account }) => account,
  cell: ({ account }) => <span title={account}>{account}</span>,
};

const REST: readonly DataColumn<Key>[] = [
  { id: "state", title: "State", width: 150, text: (key) => keyState(key), cell: (key) => <KeyBadge of={key} /> },
  {
    id: "models",
    title: "Models",
    width: 200,
    from: "lg",
    text: ({ models }) => formatModels(models),
    cell: ({ models }) => <span title={models.join(", ")}>{formatModels(models)}</span>,
  },
  {
    id: "limits",
    title: "Rate limits",
    width: 240,
    from: "2xl",
    text: ({ limits }) => formatLimits(limits),
    cell: ({ limits }) => <span title={formatLimits(limits)}>{formatLimits(limits) || nothing}</span>,
  },
  {
    id: "spent",
    title: "Spent, month (UTC)",
    width: 176,
    figures: true,
    from: "sm",
    sorts: "descending",
    cell: ({ spent }) => <span title={exactMoney(spent.month)}>{money(spent.month)}</span>,
  },
  {
    id: "cap",
    title: "Monthly cap",
    width: 130,
    figures: true,
    from: "2xl",
    text: ({ caps }) => (caps.month == null ? "" : exactMoney(caps.month)),
    cell: ({ caps }) => (caps.month == null ? nothing : exactMoney(caps.month)),
  },
  {
    id: "last_used",
    title: "Last used",
    width: 128,
    from: "sm",
    sorts: "descending",
    text: ({ last_used_at: at }) => (at === null ? "never" : ago(at)),
    cell: ({ last_used_at: at }) => (at === null ? <span className="text-ink-3">never</span> : <Time at={at} />),
  },
];

const OPTIONAL: readonly DataColumn<Key>[] = [
  {
    id: "imported",
    title: "Imported",
    width: 140,
    isOptional: true,
    text: ({ imported }) => imported?.from ?? "",
    cell: ({ imported }) => (imported === null ? nothing : <span title={imported.from}>{ago(imported.at)}</span>),
  },
  {
    id: "expires",
    title: "Expires",
    width: 128,
    isOptional: true,
    sorts: "ascending",
    cell: ({ expires_at: at }) => (at === null ? <span className="text-ink-3">never</span> : <Time at={at} />),
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

/** Members see only one account, so their list has no account column. */
export const KEY_COLUMNS: readonly DataColumn<Key>[] = [NAME, ID, ACCOUNT, ...REST, ...OPTIONAL];
export const KEY_COLUMNS_OF_MEMBER: readonly DataColumn<Key>[] = [NAME, ID, ...REST, ...OPTIONAL];
/** For a short table on the page of an account. */
export const KEY_COLUMNS_OF_ACCOUNT: readonly DataColumn<Key>[] = [NAME, ID, ...REST];
