import { useState, type ReactNode } from "react";
import type { Account } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { exactMoney } from "../../parts/format/format.ts";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { LowCreditField, readLowCredit } from "./credit-fields.tsx";

/** The threshold of the low-credit alert, which is edited in place. */
export function LowCreditFact({ of }: { readonly of: Account }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { low_credit: low } = of;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {low === null ? "When all credit is spent" : `Below ${exactMoney(low)}`}
      {of.managed_by === "operator" && (
        <Button small weight="quiet" className="-my-1" aria-label="Edit low-credit alert" onClick={() => setOpen(true)}>
          Edit
        </Button>
      )}
      {isOpen && <EditLowCredit of={of} onClose={() => setOpen(false)} />}
    </span>
  );
}

function EditLowCredit({ of, onClose }: { readonly of: Account; readonly onClose: () => void }): ReactNode {
  const [original] = useState(of);
  const update = useApiMutation("updateAccount");
  const done = (): void => {
    toast("Saved.");
    onClose();
  };
  return (
    <FormDialog
      title={`Low-credit alert of “${original.name}”`}
      action="Save"
      change={update}
      fields={["low_credit"]}
      onSubmit={(form) => update.mutate({ path: { id: original.id }, body: readLowCredit(form) }, { onSuccess: done })}
      onClose={onClose}
    >
      <LowCreditField current={original.low_credit} error={refusalAt(update.error, "low_credit")} />
    </FormDialog>
  );
}
