import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Account } from "../../../../platform-client/types.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmChange } from "../../parts/list/confirm-change.tsx";
import { Menu } from "../../parts/overlays/menu.tsx";
import { AdjustCredit, GrantCredit } from "./credit-dialogs.tsx";
import { EditAccount } from "./edit-account.tsx";

interface DialogProps {
  readonly of: Account;
  readonly onClose: () => void;
}

const DIALOGS = {
  grant: GrantCredit,
  adjust: AdjustCredit,
  edit: EditAccount,
  archive: ArchiveAccount,
  restore: RestoreAccount,
  delete: DeleteAccount,
} as const;

/** The buttons for operators on the page of an account. */
export function AccountActions({ of }: { readonly of: Account }): ReactNode {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const Opened = open && DIALOGS[open];
  const isArchived = of.archived_at !== null;
  return (
    <>
      {of.managed_by === "operator" && <Button onClick={() => setOpen("edit")}>Edit</Button>}
      <Button onClick={() => setOpen("adjust")}>Adjust credit</Button>
      <Button weight="primary" onClick={() => setOpen("grant")}>
        Grant credit
      </Button>
      {of.managed_by === "operator" && (
        <Menu
          label={`More actions for ${of.id}`}
          items={[
            isArchived
              ? { label: "Restore", onSelect: () => setOpen("restore") }
              : { label: "Archive", onSelect: () => setOpen("archive"), danger: true },
            { label: "Delete", onSelect: () => setOpen("delete"), danger: true },
          ]}
        />
      )}
      {Opened && <Opened of={of} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function ArchiveAccount({ of: { id }, onClose }: DialogProps): ReactNode {
  return (
    <ConfirmChange
      operation="updateAccount"
      input={{ path: { id }, body: { archived: true } }}
      title={`Archive account ${id}?`}
      action="Archive"
      done={`Account ${id} archived.`}
      onClose={onClose}
    >
      Requests with its keys are rejected immediately, and it is hidden from lists. You can restore it.
    </ConfirmChange>
  );
}

function RestoreAccount({ of: { id }, onClose }: DialogProps): ReactNode {
  return (
    <ConfirmChange
      operation="updateAccount"
      input={{ path: { id }, body: { archived: false } }}
      title={`Restore account ${id}?`}
      action="Restore"
      weight="primary"
      done={`Account ${id} restored.`}
      onClose={onClose}
    >
      It is in lists again, and requests with its keys are accepted.
    </ConfirmChange>
  );
}

function DeleteAccount({ of: { id }, onClose }: DialogProps): ReactNode {
  const navigate = useNavigate();
  return (
    <ConfirmChange
      operation="removeAccount"
      input={{ path: { id } }}
      title={`Delete account ${id}?`}
      action="Delete"
      done={`Account ${id} deleted.`}
      onDone={() => void navigate({ to: "/accounts" })}
      onClose={onClose}
    >
      Only an archived account without ledger entries, keys and members can be deleted. This cannot be undone.
    </ConfirmChange>
  );
}
