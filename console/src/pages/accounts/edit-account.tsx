import type { ReactNode } from "react";
import { TextField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { toast } from "../../parts/toasts.tsx";
import { call } from "../../platform/call.ts";
import type { Account, ChangePreview } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { EditDialog } from "../../spender/edit-dialog.tsx";
import { LowCreditField, readLowCredit } from "./low-credit-field.tsx";

export function EditAccount({ of, onClose }: { readonly of: Account; readonly onClose: () => void }): ReactNode {
  const update = useChange("updateAccount");
  const path = { id: of.id };
  const done = (): void => {
    toast("Saved. It counts from the next request on.");
    onClose();
  };
  return (
    <EditDialog
      title={`Edit the account “${of.name}”`}
      before={of}
      onClose={onClose}
      fieldNames={["name", "low_credit"]}
      fields={(at) => (
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label="Name" name="name" required maxLength={100} defaultValue={of.name} error={at("name")} />
          <LowCreditField current={of.low_credit} error={at("low_credit")} />
        </div>
      )}
      readMore={(form) => ({ ...formFields(form, "name"), ...readLowCredit(form) })}
      preview={async (body) => (await call("updateAccount", { path, query: { preview: "true" }, body })) as ChangePreview}
      change={update}
      save={(body) => update.mutate({ path, body }, { onSuccess: done })}
    />
  );
}
