import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePages } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Input, Select } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { Paged } from "../../parts/paged.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { AuditEntry } from "./audit-entry.tsx";
import { LedgerCheck } from "./ledger-check.tsx";

const route = getRouteApi("/signed-in/audit");

const KINDS = ["account", "key", "model", "upstream", "person", "session", "access_token", "config", "webhook", "request"];
const KIND_CHOICES = [{ value: "", label: "Anything" }, ...KINDS.map((value) => ({ value, label: value.replaceAll("_", " ") }))];

/** Who changed what, and when. */
export function AuditPage(): ReactNode {
  const search = route.useSearch();
  const changes = usePages("listChanges", { query: { ...search, limit: 50 } });
  return (
    <Page title="Audit" about="Every change that was made, by whom and from where. Nothing here can be edited." actions={<LedgerCheck />}>
      <Filters />
      <div className="card overflow-hidden">
        <Paged of={changes} empty={<Empty title="No change matches">Filters are in force, or nothing was changed yet.</Empty>}>
          {(shown) => (
            <ul aria-label="Changes">
              {shown.map((change) => (
                <AuditEntry key={change.id} change={change} />
              ))}
            </ul>
          )}
        </Paged>
      </div>
    </Page>
  );
}

function Filters(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (changed: typeof search): void => void navigate({ search: { ...search, ...changed }, replace: true });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="Kind of thing"
        className="w-36"
        choices={KIND_CHOICES}
        value={search.kind ?? ""}
        onChange={({ target }) => set({ kind: target.value })}
      />
      <SearchBox label="Id of the thing" value={search.id ?? ""} onSearch={(id) => set({ id })} />
      <SearchBox label="Id of who did it" value={search.actor ?? ""} onSearch={(actor) => set({ actor })} />
      <Input
        aria-label="From day"
        type="date"
        className="w-36"
        value={search.from?.slice(0, 10) ?? ""}
        onChange={({ target }) => set({ from: startOf(target.value) })}
      />
      <Input
        aria-label="Before day"
        type="date"
        className="w-36"
        value={search.to?.slice(0, 10) ?? ""}
        onChange={({ target }) => set({ to: startOf(target.value) })}
      />
      {isFiltered && (
        <Button weight="quiet" onClick={() => void navigate({ search: {} })}>
          Show all
        </Button>
      )}
    </div>
  );
}

/** Days are UTC's here, as everything in the audit log is. */
function startOf(day: string): string {
  return day && `${day}T00:00:00.000Z`;
}
