import { Link, useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Key } from "../../../../platform-client/types.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { ConfirmChange } from "../../parts/list/confirm-change.tsx";
import { Menu } from "../../parts/overlays/menu.tsx";
import { CreateKey } from "./create-key.tsx";
import { EditKey } from "./edit-key.tsx";
import { PauseKey } from "./pause-key.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { RotateKey } from "./rotate-key.tsx";

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
