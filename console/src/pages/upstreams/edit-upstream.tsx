import { useState, type ReactNode } from "react";
import type { Upstream } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { FigureField, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/toasts.tsx";
import { PrivateField } from "./create-upstream.tsx";
import { editOf, toUpdate, type UpstreamEdit } from "./upstream-draft.ts";

const FIELDS = ["base_url", "credential", "concurrency"] as const;

export function EditUpstream({ upstream, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }): ReactNode {
  const [begun] = useState(upstream);
  const [edit, setEdit] = useState(() => editOf(begun));
  const update = useChange("updateUpstream");
  const body = toUpdate(edit, begun);
  const saved = (): void => {
    toast(`${begun.id} was changed.`);
    onClose();
  };
  return (
    <FormDialog
      title={`Edit ${begun.id}`}
      about="In force with the next request."
      action="Save"
      canSubmit={Object.keys(body).length > 0}
      change={update}
      fields={FIELDS}
      onSubmit={() => update.mutate({ path: { id: begun.id }, body }, { onSuccess: saved })}
      onClose={onClose}
    >
      <EditFields
        edit={edit}
        onEdit={setEdit}
        isMoved={body.base_url !== undefined}
        needsCredential={begun.credentials.length > 0}
        error={update.error}
      />
    </FormDialog>
  );
}

interface EditFieldsProps {
  readonly edit: UpstreamEdit;
  readonly onEdit: (edit: UpstreamEdit) => void;
  /** It has another address than before. */
  readonly isMoved: boolean;
  readonly needsCredential: boolean;
  readonly error: Error | null;
}

function EditFields({ edit, onEdit, isMoved, needsCredential, error }: EditFieldsProps): ReactNode {
  const set = (changed: Partial<UpstreamEdit>): void => onEdit({ ...edit, ...changed });
  return (
    <>
      <TextField
        label="Address"
        value={edit.address}
        onChange={({ target }) => set({ address: target.value })}
        required
        error={refusalAt(error, "base_url")}
      />
      {(isMoved || edit.credential !== "") && (
        <TextField
          label="Credential"
          type="password"
          autoComplete="off"
          value={edit.credential}
          onChange={({ target }) => set({ credential: target.value })}
          required={needsCredential}
          hint="Needed with another address: none is sent to an address that it was not given for."
          error={refusalAt(error, "credential")}
        />
      )}
      <div className="grid grid-cols-2 gap-4">
        <FigureField
          label="Calls at a time"
          value={edit.maxCalls}
          onChange={({ target }) => set({ maxCalls: target.value })}
          error={refusalAt(error, "concurrency.max_calls")}
        />
        <FigureField
          label="Calls waiting"
          value={edit.maxQueued}
          onChange={({ target }) => set({ maxQueued: target.value })}
          error={refusalAt(error, "concurrency.max_queued")}
        />
      </div>
      <PrivateField isAllowed={edit.allowsPrivate} onChange={(allowsPrivate) => set({ allowsPrivate })} />
    </>
  );
}
