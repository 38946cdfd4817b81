import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { usePages } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Select } from "../../parts/inputs/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/inputs/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { inCount } from "../../parts/format/format.ts";
import { hasFilters } from "../../parts/list/list-search.ts";
import { FIRST_PAGE, LATER_PAGES, ListTable } from "../../parts/list/list-table.tsx";
import { AccountPicker } from "../../parts/inputs/resource-pickers.tsx";
import { useMe } from "../../shell/me.ts";
import { CreateKey } from "./create-key.tsx";
import { KEY_COLUMNS, KEY_COLUMNS_OF_MEMBER } from "./key-columns.tsx";
import type { Key, UpdateKeyRequest } from "../../../../platform-client/types.ts";
import { call } from "../../platform/call.ts";
import type { BulkAction } from "../../parts/list/bulk-dialog.tsx";
import { CHANGE_LIMITS } from "./change-limits.tsx";

const route = getRouteApi("/signed-in/keys");

const STATES = [
  { value: "", label: "All states" },
  { value: "active", label: "Active" },
  { value: "paused", label: "Paused" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
];

export function KeysPage(): ReactNode {
  const { isOperator } = useMe();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const pages = usePages("listKeys", { query: { ...search, limit: FIRST_PAGE } }, LATER_PAGES);
  const create = (
    <Button weight="primary" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      Create key
    </Button>
  );
  return (
    <Page wide title="Keys" docs="keys" about="API keys. Each key sets the allowed models, rate limits and spend caps." actions={create}>
      <ListTable
        label="Keys"
        of={pages}
        columns={isOperator ? KEY_COLUMNS : KEY_COLUMNS_OF_MEMBER}
        nameOf={({ name }) => name}
        inWords={(total) => inCount(total, "key")}
        search={search}
        onSearch={(change) => void navigate({ search: { ...search, ...change } })}
        usualSort="created"
        actions={search.archived === "true" ? ARCHIVED_KEY_ACTIONS : KEY_ACTIONS}
        filters={<Filters />}
        empty={<NoKeys isFiltered={hasFilters(search)} create={create} />}
      />
      {isCreating && <CreateKey {...(search.account && { account: search.account })} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Filters(): ReactNode {
  const { isOperator } = useMe();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <SearchBox
        label="Search by name or ID"
        value={search.search ?? ""}
        onSearch={(text) => void navigate({ search: { ...search, search: text }, replace: true })}
      />
      <Select
        aria-label="State"
        className="flex-1 sm:w-36 sm:flex-none"
        choices={STATES}
        value={search.state ?? ""}
        onChange={({ target }) => void navigate({ search: { ...search, state: target.value } })}
      />
      {isOperator && (
        <AccountPicker
          isLabelHidden
          isClearable
          placeholder="All accounts"
          className="flex-1 sm:w-52 sm:flex-none"
          value={search.account ?? null}
          onPick={(account) => void navigate({ search: { ...search, account: account ?? "" } })}
        />
      )}
    </>
  );
}

function NoKeys({ isFiltered, create }: { readonly isFiltered: boolean; readonly create: ReactNode }): ReactNode {
  const navigate = route.useNavigate();
  if (!isFiltered)
    return (
      <Empty title="No keys yet" action={create}>
        Create a key to call models.
      </Empty>
    );
  return (
    <Empty title="No matching keys" action={<Button onClick={() => void navigate({ search: {} })}>Show all keys</Button>}>
      The search matches any part of a name, or the start of an ID.
    </Empty>
  );
}

function update(body: UpdateKeyRequest): (key: Key) => Promise<unknown> {
  return ({ id }) => call("updateKey", { path: { id }, body });
}

const REVOKE: BulkAction<Key> = {
  label: "Revoke",
  done: "revoked",
  about: "Requests with these keys are rejected immediately. This cannot be undone. Usage history stays available.",
  run: ({ id }) => call("revokeKey", { path: { id } }),
};

const DELETE: BulkAction<Key> = {
  label: "Delete",
  done: "deleted",
  about: "Only keys that are not active and were never used can be deleted. This cannot be undone.",
  run: ({ id }) => call("removeKey", { path: { id } }),
};

export const KEY_ACTIONS: readonly BulkAction<Key>[] = [
  {
    label: "Pause",
    done: "paused",
    about: "Requests with these keys are rejected until you resume them.",
    weight: "primary",
    run: update({ paused: true }),
  },
  {
    label: "Resume",
    done: "resumed",
    about: "Requests with these keys are accepted again.",
    weight: "primary",
    run: update({ paused: false }),
  },
  {
    label: "Archive",
    done: "archived",
    about: "Archived keys are paused and hidden from the list. You can restore them.",
    weight: "primary",
    run: update({ archived: true }),
  },
  CHANGE_LIMITS,
  REVOKE,
  DELETE,
];

export const ARCHIVED_KEY_ACTIONS: readonly BulkAction<Key>[] = [
  {
    label: "Restore",
    done: "restored",
    about: "Restored keys are in the list again. They stay paused until you resume them.",
    weight: "primary",
    run: update({ archived: false }),
  },
  REVOKE,
  DELETE,
];
