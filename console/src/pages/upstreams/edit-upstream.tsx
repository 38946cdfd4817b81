import { useState, type FormEvent, type ReactNode } from "react";
import type { Upstream } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { FigureField, TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { toast } from "../../parts/toasts.tsx";
import { PrivateField } from "./new-upstream.tsx";
import { editOf, toUpdate, type UpstreamEdit } from "./upstream-draft.ts";

const FIELDS = ["base_url", "credential", "concurrency"] as const;

export function EditUpstream({ upstream, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }): ReactNode {
  const [begun] = useState(upstream);
  const [edit, setEdit] = useState(() => editOf(upstream));
  const update = useChange("updateUpstream");
  const set = (changed: Partial<UpstreamEdit>): void => setEdit({ ...edit, ...changed });
  const body = toUpdate(edit, begun);
  const trouble = refusalBeside(update.error, FIELDS);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const onSuccess = (): void => {
      toast(`${upstream.id} was changed.`);
      onClose();
    };
    update.mutate({ path: { id: upstream.id }, body }, { onSuccess });
  };
  return (
    <Dialog open onClose={onClose} title={`Edit ${upstream.id}`} about="In force with the next request.">
      <form onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          {trouble && <Notice tone="bad">{trouble}</Notice>}
          <TextField
            label="Address"
            value={edit.address}
            onChange={({ target }) => set({ address: target.value })}
            required
            error={refusalAt(update.error, "base_url")}
          />
          {(body.base_url !== undefined || edit.credential !== "") && (
            <TextField
              label="Credential"
              type="password"
              autoComplete="off"
              value={edit.credential}
              onChange={({ target }) => set({ credential: target.value })}
              required={upstream.credentials.length > 0}
              hint="Needed with another address: none is sent to an address that it was not given for."
              error={refusalAt(update.error, "credential")}
            />
          )}
          <div className="grid grid-cols-2 gap-4">
            <FigureField
              label="Calls at a time"
              value={edit.maxCalls}
              onChange={({ target }) => set({ maxCalls: target.value })}
              error={refusalAt(update.error, "concurrency.max_calls")}
            />
            <FigureField
              label="Calls waiting"
              value={edit.maxQueued}
              onChange={({ target }) => set({ maxQueued: target.value })}
              error={refusalAt(update.error, "concurrency.max_queued")}
            />
          </div>
          <PrivateField isAllowed={edit.allowsPrivate} onChange={(allowsPrivate) => set({ allowsPrivate })} />
        </DialogBody>
        <DialogFooter>
          <Cancel onClick={onClose} />
          <Button type="submit" weight="primary" busy={update.isPending} disabled={Object.keys(body).length === 0 || update.isPending}>
            Save
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
