import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { inCount } from "../../parts/format/format.ts";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/inputs/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { FIRST_PAGE, LATER_PAGES, ListTable } from "../../parts/list/list-table.tsx";
import { usePages } from "../../platform/use-api.ts";
import { useMe } from "../../shell/me.ts";
import { ACCOUNT_ACTIONS, ARCHIVED_ACCOUNT_ACTIONS } from "./account-bulk-actions.ts";
import { ACCOUNT_COLUMNS } from "./account-columns.tsx";
import { AccountView } from "./account-view.tsx";
import { CreateAccount } from "./create-account.tsx";

const route = getRouteApi("/signed-in/accounts");

/** Operators see all accounts, members their own. */
export function AccountsPage(): ReactNode {
  const me = useMe();
  return me.isOperator ? <AllAccounts /> : <AccountView id={me.account!} />;
}

function AllAccounts(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const pages = usePages("listAccounts", { query: { ...search, limit: FIRST_PAGE } }, LATER_PAGES);
  return (
    <Page
      wide
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
      <ListTable
        label="Accounts"
        of={pages}
        columns={ACCOUNT_COLUMNS}
        nameOf={({ id }) => id}
        inWords={(total) => inCount(total, "account")}
        search={search}
        onSearch={(change) => void navigate({ search: { ...search, ...change } })}
        usualSort="id"
        actions={search.archived === "true" ? ARCHIVED_ACCOUNT_ACTIONS : ACCOUNT_ACTIONS}
        filters={
          <SearchBox
            label="Search by ID or name"
            value={search.search ?? ""}
            onSearch={(text) => void navigate({ search: { ...search, search: text }, replace: true })}
          />
        }
        empty={
          <Empty title="No matching accounts" action={<Button onClick={() => void navigate({ search: {} })}>Show all accounts</Button>}>
            The search matches any part of the ID or name.
          </Empty>
        }
      />
      {isCreating && <CreateAccount onClose={() => setCreating(false)} />}
    </Page>
  );
}
