import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Account } from "../../../../platform-client/types.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmChange } from "../../parts/list/confirm-change.tsx";
import { Menu } from "../../parts/overlays/menu.tsx";
import { AdjustCredit, GrantCredit } from "./credit-dialogs.tsx";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { useApiMutation } from "../../platform/use-api.ts";
import { EditPolicyDialog } from "../../limits-and-usage/edit-policy-dialog.tsx";
import { PriceListField, readPriceList } from "./price-list-field.tsx";
import { CreditLineField, LowCreditField, readCreditLine, readLowCredit } from "./credit-fields.tsx";
import { readShowCredit, ShowCreditField } from "./show-credit-field.tsx";

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

function EditAccount({ of, onClose }: { readonly of: Account; readonly onClose: () => void }): ReactNode {
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
