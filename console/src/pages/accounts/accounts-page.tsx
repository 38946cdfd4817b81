import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { exactMoney, money } from "../../parts/format.ts";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable, rowLink, type Column } from "../../parts/table.tsx";
import type { Account } from "../../../../platform-client/types.ts";
import { usePages } from "../../platform/use-api.ts";
import { useMe } from "../../shell/me.ts";
import { AccountView } from "./account-view.tsx";
import { CreateAccount } from "./create-account.tsx";
import { CreditBadge } from "./credit-badge.tsx";

const route = getRouteApi("/signed-in/accounts");

/** Operators see all accounts, members their own. */
export function AccountsPage(): ReactNode {
  const me = useMe();
  return me.isOperator ? <AllAccounts /> : <AccountView id={me.account!} />;
}

function amount(dollars: string): ReactNode {
  return <span title={exactMoney(dollars)}>{money(dollars)}</span>;
}

const COLUMNS: readonly Column<Account>[] = [
  {
    title: "ID",
    cell: ({ id }) => (
      <Link to="/accounts/$id" params={{ id }} className={rowLink} title={id}>
        {id}
      </Link>
    ),
    className: "max-w-52!",
  },
  { title: "Name", cell: ({ name }) => <span title={name}>{name}</span>, from: "md", className: "max-w-60!" },
  {
    title: "Available",
    cell: (account) => (
      <span className="inline-flex items-center gap-2">
        <CreditBadge of={account} />
        {amount(account.available)}
      </span>
    ),
    figures: true,
  },
  { title: "Reserved", cell: ({ held }) => amount(held), figures: true, from: "md" },
  { title: "Spent this month", cell: ({ spent }) => amount(spent.month), figures: true, from: "sm" },
  {
    title: "Monthly cap",
    cell: ({ caps }) => (caps.month == null ? <span className="text-ink-3">–</span> : exactMoney(caps.month)),
    figures: true,
    from: "lg",
  },
];

function AllAccounts(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const pages = usePages("listAccounts", { query: { ...search, limit: 50 } });
  return (
    <Page
      title="Accounts"
      docs="money#accounts-and-credit"
      about="An account owns keys and pays for their usage."
      actions={
        <Button weight="primary" onClick={() => setCreating(true)}>
          <Plus size={14} aria-hidden />
          Create account
        </Button>
      }
    >
      <SearchBox
        label="Search by ID or name"
        value={search.search ?? ""}
        onSearch={(text) => void navigate({ search: { search: text }, replace: true })}
      />
      <div className="card overflow-hidden">
        <PagedTable
          label="Accounts"
          of={pages}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={
            <Empty title="No matching accounts" action={<Button onClick={() => void navigate({ search: {} })}>Show all accounts</Button>}>
              The search matches any part of the ID or name.
            </Empty>
          }
        />
      </div>
      {isCreating && <CreateAccount onClose={() => setCreating(false)} />}
    </Page>
  );
}
