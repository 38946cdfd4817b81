import { useState, type ReactNode } from "react";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import type { Key } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { EditPolicyDialog } from "../../limits-and-usage/edit-policy-dialog.tsx";
import { ExpiryField, readExpiry } from "../../limits-and-usage/expiry-field.tsx";

export function EditKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }): ReactNode {
  const [original] = useState(of);
  const update = useApiMutation("updateKey");
  const done = (): void => {
    toast("Saved. Applies from the next request.");
    onClose();
  };
  return (
    <EditPolicyDialog
      title={`Edit key “${original.name}”`}
      original={original}
      onClose={onClose}
      fieldNames={["name", "expires_at"]}
      fields={(refusal) => (
        <div className="flex flex-col gap-3">
          <TextField label="Name" name="name" required maxLength={100} defaultValue={original.name} error={refusalAt(refusal, "name")} />
          <ExpiryField current={original.expires_at} error={refusalAt(refusal, "expires_at")} />
        </div>
      )}
      readMore={(form) => ({ ...formFields(form, "name"), ...readExpiry(form) })}
      operation="updateKey"
      id={original.id}
      change={update}
      save={(body) => update.mutate({ path: { id: original.id }, body }, { onSuccess: done })}
    />
  );
}
