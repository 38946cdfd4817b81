import { Link, useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Key } from "../../../../platform-client/types.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { ConfirmChange } from "../../parts/list/confirm-change.tsx";
import { Menu } from "../../parts/overlays/menu.tsx";
import { CreateKey } from "./create-key.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { useApiMutation } from "../../platform/use-api.ts";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { GracePeriodField, readGracePeriod } from "../../parts/inputs/grace-period-field.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { ago } from "../../parts/format/format.ts";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { refusalAt } from "../../parts/refusal.ts";
import { EditPolicyDialog } from "../../limits-and-usage/edit-policy-dialog.tsx";
import { ExpiryField, readExpiry } from "../../limits-and-usage/expiry-field.tsx";

interface DialogProps {
  readonly of: Key;
  readonly onClose: () => void;
}

const DIALOGS = {
  edit: EditKey,
  rotate: RotateKey,
  revoke: RevokeKey,
  clone: CloneKey,
  archive: ArchiveKey,
  restore: RestoreKey,
  delete: DeleteKey,
} as const;

/** The buttons on the page of a key. */
export function KeyActions({ of }: { readonly of: Key }): ReactNode {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const Opened = open && DIALOGS[open];
  const isArchived = of.archived_at !== null;
  const isRevoked = of.revoked_at !== null;
  return (
    <>
      {of.active && (
        <Link to="/playground" search={{ key: of.id }} className={buttonClass()}>
          Try in playground
        </Link>
      )}
      {of.active && <Button onClick={() => setOpen("rotate")}>Rotate</Button>}
      {isArchived && <Button onClick={() => setOpen("restore")}>Restore</Button>}
      {!isRevoked && !isArchived && <PauseKey of={of} />}
      {!isRevoked && <Button onClick={() => setOpen("edit")}>Edit</Button>}
      {!isRevoked && (
        <Button className="text-bad!" onClick={() => setOpen("revoke")}>
          Revoke
        </Button>
      )}
      <Menu
        label={`More actions for ${of.name}`}
        items={[
          { label: "Clone", onSelect: () => setOpen("clone") },
          ...(isArchived ? [] : [{ label: "Archive", onSelect: () => setOpen("archive") }]),
          { label: "Delete", onSelect: () => setOpen("delete"), danger: true },
        ]}
      />
      {Opened && <Opened of={of} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function CloneKey({ of, onClose }: DialogProps): ReactNode {
  return <CreateKey like={of} onClose={onClose} />;
}

function ArchiveKey({ of: { id, name }, onClose }: DialogProps): ReactNode {
  return (
    <ConfirmChange
      operation="updateKey"
      input={{ path: { id }, body: { archived: true } }}
      title={`Archive key “${name}”?`}
      action="Archive"
      weight="primary"
      done={`Key “${name}” archived.`}
      onClose={onClose}
    >
      It is paused and hidden from lists. You can restore it. Usage history stays available.
    </ConfirmChange>
  );
}

function RestoreKey({ of: { id, name }, onClose }: DialogProps): ReactNode {
  return (
    <ConfirmChange
      operation="updateKey"
      input={{ path: { id }, body: { archived: false } }}
      title={`Restore key “${name}”?`}
      action="Restore"
      weight="primary"
      done={`Key “${name}” restored.`}
      onClose={onClose}
    >
      It is in lists again. It stays paused until you resume it.
    </ConfirmChange>
  );
}

function DeleteKey({ of: { id, name }, onClose }: DialogProps): ReactNode {
  const navigate = useNavigate();
  return (
    <ConfirmChange
      operation="removeKey"
      input={{ path: { id } }}
      title={`Delete key “${name}”?`}
      action="Delete"
      done={`Key “${name}” deleted.`}
      onDone={() => void navigate({ to: "/keys" })}
      onClose={onClose}
    >
      Only a key that is not active and was never used can be deleted. This cannot be undone.
    </ConfirmChange>
  );
}

function report(error: Error): void {
  toast(error.message);
}

/** Pauses or resumes a key. There is no dialog, because the same button undoes it. */
function PauseKey({ of }: { readonly of: Key }): ReactNode {
  const update = useApiMutation("updateKey");
  const isPaused = of.paused_at !== null;
  const onSuccess = (): void => toast(`Key “${of.name}” ${isPaused ? "resumed" : "paused"}.`);
  return (
    <Button
      disabled={update.isPending}
      onClick={() => update.mutate({ path: { id: of.id }, body: { paused: !isPaused } }, { onSuccess, onError: report })}
    >
      {isPaused ? "Resume" : "Pause"}
    </Button>
  );
}

/** Generates a new secret for a key; its ID and access policy stay. */
function RotateKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }): ReactNode {
  const rotate = useApiMutation("rotateKey");
  if (rotate.data) return <NewKeyDialog created={rotate.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate key “${of.name}”?`}
      action="Rotate"
      change={rotate}
      onSubmit={(form) => rotate.mutate({ path: { id: of.id }, body: readGracePeriod(form) })}
      onClose={onClose}
    >
      <p className="text-ink-2">A new secret is generated. The key's name, limits, spend caps and history stay the same.</p>
      <GracePeriodField label="Grace period for the old secret" hint="Long enough to update every client that uses the key." />
      {of.previous_key_works_until !== null && (
        <Notice tone="warn">The secret from before the last rotation still works. Rotating again disables it immediately.</Notice>
      )}
    </FormDialog>
  );
}

function RevokeKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }): ReactNode {
  const revoke = useApiMutation("revokeKey");
  const done = (): void => {
    toast(`Key “${of.name}” revoked.`);
    onClose();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Revoke key “${of.name}”?`}
      action="Revoke"
      change={revoke}
      onConfirm={() => revoke.mutate({ path: { id: of.id } }, { onSuccess: done })}
    >
      <p>
        {of.last_used_at === null ? "Never used." : `Last used ${ago(of.last_used_at)}.`} Requests with this key are rejected immediately.
      </p>
      <p className="mt-2">This cannot be undone. Usage history stays available.</p>
    </Confirm>
  );
}

function EditKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }): ReactNode {
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
