import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { usePages, useResetOnExpiry } from "../../platform/use-api.ts";
import { Page } from "../../parts/page.tsx";
import { Paged } from "../../parts/paged.tsx";
import { Empty, Loading } from "../../parts/states.tsx";
import { SavedViews } from "../../shell/saved-views.tsx";
import { AuditEntry } from "./audit-entry.tsx";
import { Filters } from "./filters.tsx";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../platform/call.ts";
import type { AuditReport } from "../../../../platform-client/types.ts";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Dialog, DialogBody } from "../../parts/overlays/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { count } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";

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

/** Verifies the ledger on demand: with millions of entries it takes a while. */
export function LedgerCheck(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const check = useMutation({ mutationFn: () => call("runAudit", {}) });
  useResetOnExpiry(check);
  const verify = (): void => {
    setOpen(true);
    check.mutate();
  };
  return (
    <>
      <Button onClick={verify}>Verify ledger</Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Verify ledger"
        about="Reads every ledger entry and recomputes every balance."
      >
        <DialogBody>
          {check.isPending && <Loading lines={3} />}
          {check.error && <Notice tone="bad">{check.error.message}</Notice>}
          {check.data && <Report report={check.data} />}
        </DialogBody>
      </Dialog>
    </>
  );
}

function Report({ report: { checked, discrepancy_count, discrepancies } }: { readonly report: AuditReport }): ReactNode {
  return (
    <>
      {discrepancy_count === 0 ? (
        <Notice tone="good">
          The ledger is consistent: every balance is the sum of its entries, and every charge follows from its price.
        </Notice>
      ) : (
        <Notice tone="bad" title={`${count(discrepancy_count)} ${discrepancy_count === 1 ? "discrepancy" : "discrepancies"} found`}>
          No balance was changed. Keep the data folder unchanged and examine the first ones below.
        </Notice>
      )}
      <Facts
        facts={[
          ["Entries", count(checked.entries)],
          ["Accounts", count(checked.accounts)],
          ["Requests", count(checked.requests)],
        ]}
      />
      {discrepancies.length > 0 && <Code label="discrepancies" text={JSON.stringify(discrepancies, null, 2)} />}
    </>
  );
}
