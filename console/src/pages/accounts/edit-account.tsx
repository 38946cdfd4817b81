import { useState, type ReactNode } from "react";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import type { Account } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { EditPolicyDialog } from "../../limits-and-usage/edit-policy-dialog.tsx";
import { PriceListField, readPriceList } from "./price-list-field.tsx";
import { CreditLineField, LowCreditField, readCreditLine, readLowCredit } from "./credit-fields.tsx";
import { readShowCredit, ShowCreditField } from "./show-credit-field.tsx";

export function EditAccount({ of, onClose }: { readonly of: Account; readonly onClose: () => void }): ReactNode {
  const [original] = useState(of);
  const update = useApiMutation("updateAccount");
  const done = (): void => {
    toast("Saved. Applies from the next request.");
    onClose();
  };
  return (
    <EditPolicyDialog
      title={`Edit account “${original.name}”`}
      original={original}
      onClose={onClose}
      fieldNames={["name", "credit_line", "low_credit", "price_list"]}
      previewed={["price_list", "credit_line"]}
      fields={(refusal) => (
        <>
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField label="Name" name="name" required maxLength={100} defaultValue={original.name} error={refusalAt(refusal, "name")} />
            <CreditLineField current={original.credit_line} error={refusalAt(refusal, "credit_line")} />
            <LowCreditField current={original.low_credit} error={refusalAt(refusal, "low_credit")} />
            <PriceListField current={original.price_list} error={refusalAt(refusal, "price_list")} />
          </div>
          <ShowCreditField current={original.show_credit} />
        </>
      )}
      readMore={(form) => ({
        ...formFields(form, "name"),
        ...readCreditLine(form),
        ...readLowCredit(form),
        ...readShowCredit(form),
        ...readPriceList(form),
      })}
      operation="updateAccount"
      id={original.id}
      change={update}
      save={(body) => update.mutate({ path: { id: original.id }, body }, { onSuccess: done })}
    />
  );
}
