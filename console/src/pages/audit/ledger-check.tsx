import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call } from "../../platform/call.ts";
import type { AuditReport } from "../../platform/interface.ts";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Dialog, DialogBody } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { count } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Loading } from "../../parts/states.tsx";

/** Has everything in the ledger added up anew. It takes a while with millions of entries, and so it is asked for. */
export function LedgerCheck(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const check = useMutation({ mutationFn: () => call("runAudit", {}) });
  const begin = (): void => {
    setOpen(true);
    check.mutate();
  };
  return (
    <>
      <Button onClick={begin}>Check the ledger</Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Does the ledger add up?"
        about="Every entry is read, and every sum is made anew from them."
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

function Report({ report: { checked, disagreement_count, disagreements } }: { readonly report: AuditReport }): ReactNode {
  return (
    <>
      {disagreement_count === 0 ? (
        <Notice tone="good">It adds up: every balance is the sum of its entries, and every charge follows from its price.</Notice>
      ) : (
        <Notice tone="bad" title={`It disagrees with itself in ${count(disagreement_count)} places.`}>
          No balance was changed. Keep the data folder as it is, and look at the first of them below.
        </Notice>
      )}
      <Facts
        facts={[
          ["Entries", count(checked.entries ?? 0)],
          ["Accounts", count(checked.accounts ?? 0)],
          ["Requests", count(checked.requests ?? 0)],
        ]}
      />
      {disagreements.length > 0 && <Code label="disagreements" text={JSON.stringify(disagreements, null, 2)} />}
    </>
  );
}
