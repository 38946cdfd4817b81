import { getRouteApi } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { usePages } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Select } from "../../parts/inputs/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/inputs/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { count } from "../../parts/format/format.ts";
import { FIRST_PAGE, LATER_PAGES, ListTable } from "../../parts/list/list-table.tsx";
import { AccountPicker } from "../../parts/inputs/resource-pickers.tsx";
import { useMe } from "../../shell/me.ts";
import { InvitePerson } from "./invite-person.tsx";
import { personActions } from "./person-bulk-actions.ts";
import { PERSON_COLUMNS } from "./person-columns.tsx";

const route = getRouteApi("/signed-in/people");

const ROLES = [
  { value: "", label: "All roles" },
  { value: "operator", label: "Operators" },
  { value: "member", label: "Members" },
];

export function PeoplePage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const people = usePages("listPeople", { query: { ...search, limit: FIRST_PAGE } }, LATER_PAGES);
  const self = useMe().person?.id;
  const [isInviting, setInviting] = useState(false);
  const invite = (
    <Button weight="primary" onClick={() => setInviting(true)}>
      <UserPlus size={14} aria-hidden />
      Invite person
    </Button>
  );
  return (
    <Page wide title="People" docs="access#people" about="Operators manage the whole gateway. Members manage one account." actions={invite}>
      <ListTable
        label="People"
        of={people}
        columns={PERSON_COLUMNS}
        nameOf={({ name, email }) => `${name} (${email})`}
        inWords={(total) => (total === 1 ? "1 person" : `${count(total)} people`)}
        search={search}
        onSearch={(change) => void navigate({ search: { ...search, ...change } })}
        usualSort="created"
        actions={personActions(search.archived === "true", self)}
        filters={
          <>
            <SearchBox
              label="Search people"
              value={search.search ?? ""}
              onSearch={(text) => void navigate({ search: { ...search, search: text }, replace: true })}
            />
            <Select
              aria-label="Role"
              className="flex-1 sm:w-36 sm:flex-none"
              choices={ROLES}
              value={search.role ?? ""}
              onChange={({ target }) => void navigate({ search: { ...search, role: target.value } })}
            />
            <AccountPicker
              isLabelHidden
              isClearable
              placeholder="All accounts"
              className="flex-1 sm:w-44 sm:flex-none"
              value={search.account ?? null}
              onPick={(account) => void navigate({ search: { ...search, account: account ?? "" } })}
            />
          </>
        }
        empty={
          <Empty title="No matching people" action={<Button onClick={() => void navigate({ search: {} })}>Show all people</Button>}>
            The search matches any part of a name or email address.
          </Empty>
        }
      />
      {isInviting && <InvitePerson onClose={() => setInviting(false)} />}
    </Page>
  );
}
