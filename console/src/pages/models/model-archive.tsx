import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ShownModel } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { ConfirmChange } from "../../parts/list/confirm-change.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";

interface DialogProps {
  readonly model: ShownModel;
  readonly onClose: () => void;
}

/** Copies a model on the server, with the settings that have no field in the form of a model. */
export function CloneModel({ model, onClose }: DialogProps): ReactNode {
  const clone = useApiMutation("cloneModel");
  const navigate = useNavigate();
  const onSuccess = ({ id }: { readonly id: string }): void => {
    toast(`${id} was created.`);
    onClose();
    void navigate({ to: "/models/$id", params: { id } });
  };
  const submit = (form: HTMLFormElement): void =>
    clone.mutate({ path: { id: model.id }, body: { id: formFields(form, "id").id.trim() } }, { onSuccess });
  return (
    <FormDialog
      title={`Clone ${model.id}`}
      about="Creates a model with the same routes, prices and settings. It can be called as soon as it is created, and is announced in the changelog."
      action="Create model"
      change={clone}
      fields={["id"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label="ID" name="id" required autoFocus defaultValue={`${model.id}-copy`} error={refusalAt(clone.error, "id")} />
    </FormDialog>
  );
}

export function ArchiveModel({ model: { id }, onClose }: DialogProps): ReactNode {
  return (
    <ConfirmChange
      operation="updateModel"
      input={{ path: { id }, body: { archived: true } }}
      title={`Archive ${id}?`}
      action="Archive"
      weight="primary"
      done={`${id} was archived.`}
      onClose={onClose}
    >
      It is hidden from lists. Only a retired model can be archived. You can restore it.
    </ConfirmChange>
  );
}

export function RestoreModel({ model: { id }, onClose }: DialogProps): ReactNode {
  return (
    <ConfirmChange
      operation="updateModel"
      input={{ path: { id }, body: { archived: false } }}
      title={`Restore ${id}?`}
      action="Restore"
      weight="primary"
      done={`${id} was restored.`}
      onClose={onClose}
    >
      It is in lists again. It stays retired.
    </ConfirmChange>
  );
}

export function DeleteModel({ model: { id }, onClose }: DialogProps): ReactNode {
  const navigate = useNavigate();
  return (
    <ConfirmChange
      operation="removeModel"
      input={{ path: { id } }}
      title={`Delete ${id}?`}
      action="Delete"
      done={`${id} was deleted.`}
      onDone={() => void navigate({ to: "/models" })}
      onClose={onClose}
    >
      Only a model that was never called and that nothing names can be deleted. Its announcements stay. This cannot be undone.
    </ConfirmChange>
  );
}
