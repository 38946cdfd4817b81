import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { inCount } from "../../parts/format/format.ts";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/inputs/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { FIRST_PAGE, LATER_PAGES, ListTable } from "../../parts/list/list-table.tsx";
import { usePages, useApiMutation } from "../../platform/use-api.ts";
import { useMe } from "../../shell/me.ts";
import { ACCOUNT_COLUMNS } from "./account-columns.tsx";
import { AccountView } from "./account-view.tsx";
import type { Account } from "../../../../platform-client/types.ts";
import { call } from "../../platform/call.ts";
import type { BulkAction } from "../../parts/list/bulk-dialog.tsx";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { BreakdownFields } from "../../limits-and-usage/breakdown-fields.tsx";
import { POLICY_FIELDS, CapFields, LimitFields, readLimitFields } from "../../limits-and-usage/limit-fields.tsx";
import { withPending } from "../../limits-and-usage/model-input.tsx";
import { ModelsField } from "../../limits-and-usage/models-field.tsx";
import { PriceListField, readPriceList } from "./price-list-field.tsx";
import { CreditLineField, LowCreditField, readCreditLine, readLowCredit } from "./credit-fields.tsx";
import { readShowCredit, ShowCreditField } from "./show-credit-field.tsx";

const route = getRouteApi("/signed-in/accounts");

/** Operators see all accounts, members only theirs. */
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

export const ACCOUNT_ACTIONS: readonly BulkAction<Account>[] = [
  {
    label: "Archive",
    done: "archived",
    about: "Archived accounts are hidden from the list, and requests with their keys are rejected. You can restore them.",
    run: ({ id }) => call("updateAccount", { path: { id }, body: { archived: true } }),
  },
];

export const ARCHIVED_ACCOUNT_ACTIONS: readonly BulkAction<Account>[] = [
  {
    label: "Restore",
    done: "restored",
    about: "Restored accounts are in the list again, and requests with their keys are accepted.",
    weight: "primary",
    run: ({ id }) => call("updateAccount", { path: { id }, body: { archived: false } }),
  },
  {
    label: "Delete",
    done: "deleted",
    about: "Only accounts without ledger entries, keys and members can be deleted. This cannot be undone.",
    run: ({ id }) => call("removeAccount", { path: { id } }),
  },
];

const FIELDS = ["id", "name", "credit_line", "low_credit", "price_list", ...POLICY_FIELDS];

export function CreateAccount({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useApiMutation("createAccount");
  const navigate = useNavigate();
  const [models, setModels] = useState<readonly string[]>(["*"]);
  const submit = (form: HTMLFormElement): void => {
    const { id, name } = formFields(form, "id", "name");
    const policy = { models: withPending(form, models), ...readLimitFields(form), ...readCreditLine(form), ...readLowCredit(form) };
    const body = { id, name, ...policy, ...readShowCredit(form), ...readPriceList(form) };
    const done = (): void => {
      toast(`Account ${id} created. It has no credit yet.`);
      void navigate({ to: "/accounts/$id", params: { id } });
    };
    create.mutate({ body }, { onSuccess: done });
  };
  return (
    <FormDialog
      title="Create account"
      about="A new account has no credit. Grant credit before its keys are used."
      wide
      action="Create account"
      change={create}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="ID"
          name="id"
          required
          autoFocus
          maxLength={63}
          hint="a-z, 0-9, dot, dash and underscore. Cannot be changed."
          error={refusalAt(create.error, "id")}
        />
        <TextField label="Name" name="name" required maxLength={100} hint="Display name." error={refusalAt(create.error, "name")} />
      </div>
      <ModelsField models={models} onChange={setModels} error={refusalAt(create.error, "models")} />
      <LimitFields refusal={create.error} />
      <CapFields refusal={create.error} />
      <BreakdownFields refusal={create.error} />
      <CreditLineField error={refusalAt(create.error, "credit_line")} />
      <LowCreditField error={refusalAt(create.error, "low_credit")} />
      <ShowCreditField />
      <PriceListField current={null} error={refusalAt(create.error, "price_list")} />
    </FormDialog>
  );
}
