import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePages } from "../../platform/use-api.ts";
import { Page } from "../../parts/page.tsx";
import { Paged } from "../../parts/paged.tsx";
import { Empty } from "../../parts/states.tsx";
import { SavedViews } from "../../shell/saved-views.tsx";
import { AuditEntry } from "./audit-entry.tsx";
import { Filters } from "./filters.tsx";
import { LedgerCheck } from "./ledger-check.tsx";

const route = getRouteApi("/signed-in/audit");

/** The audit log. */
export function AuditPage(): ReactNode {
  const search = route.useSearch();
  const changes = usePages("listChanges", { query: { ...search, limit: 50 } });
  return (
    <Page
      title="Audit log"
      docs="access#audit-log"
      about="Every change with its actor and IP address. Entries cannot be edited."
      actions={
        <>
          <SavedViews />
          <LedgerCheck />
        </>
      }
    >
      <Filters />
      <div className="card overflow-hidden">
        <Paged of={changes} empty={<Empty title="No matching changes">Clear the filters to see all changes.</Empty>}>
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
