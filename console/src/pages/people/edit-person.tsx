import { useState, type ReactNode } from "react";
import type { Person } from "../../../../platform-client/types.ts";
import { changesTo } from "../../platform/changes.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { TextField } from "../../parts/inputs/field.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { roleIn, RoleFields, type RoleChoice } from "./role-fields.tsx";

/** Edits a person's name and role. */
export function EditPerson({ person, onClose }: { readonly person: Person; readonly onClose: () => void }): ReactNode {
  const [original] = useState(person);
  const update = useApiMutation("updatePerson");
  const [name, setName] = useState(person.name);
  const [choice, setChoice] = useState<RoleChoice>({ role: person.role, account: person.account });
  const isRoleChanged = choice.role !== original.role || (choice.role === "member" && choice.account !== original.account);
  const updated = (): void => {
    onClose();
    toast(`${name} updated.`);
  };
  const submit = (): void =>
    update.mutate(
      { path: { id: original.id }, body: { ...changesTo(original, { name }), ...(isRoleChanged && roleIn(choice)) } },
      { onSuccess: updated },
    );
  return (
    <FormDialog
      title={`Edit ${original.name}`}
      action="Save"
      change={update}
      fields={["name", "account"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={refusalAt(update.error, "name")}
      />
      <RoleFields choice={choice} onChoose={setChoice} error={refusalAt(update.error, "account")} />
      {isRoleChanged && (
        <Notice tone="warn">
          {person.role === "member"
            ? "Ends their sessions and revokes their access tokens. They must sign in again."
            : "Ends their sessions: they must sign in again. Their access tokens are limited to the new role."}
        </Notice>
      )}
    </FormDialog>
  );
}
