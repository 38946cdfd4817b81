import type { ReactNode } from "react";
import { TextField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { toast } from "../../parts/toasts.tsx";
import { call } from "../../platform/call.ts";
import type { ChangePreview, Key } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { EditDialog } from "../../spender/edit-dialog.tsx";
import { ExpiryField, readExpiry } from "../../spender/expiry-field.tsx";

export function EditKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }): ReactNode {
  const update = useChange("updateKey");
  const path = { id: of.id };
  const done = (): void => {
    toast("Saved. It counts from the next request on.");
    onClose();
  };
  return (
    <EditDialog
      title={`Edit the key “${of.name}”`}
      before={of}
      onClose={onClose}
      fieldNames={["name", "expires_at"]}
      fields={(at) => (
        <div className="flex flex-col gap-3">
          <TextField label="Name" name="name" required maxLength={100} defaultValue={of.name} error={at("name")} />
          <ExpiryField current={of.expires_at} error={at("expires_at")} />
        </div>
      )}
      readMore={(form) => ({ ...formFields(form, "name"), ...readExpiry(form) })}
      preview={async (body) => (await call("updateKey", { path, query: { preview: "true" }, body })) as ChangePreview}
      change={update}
      save={(body) => update.mutate({ path, body }, { onSuccess: done })}
    />
  );
}
