import { useState, type ReactNode } from "react";
import { FigureField, TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import type { Account } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { balanceAfter } from "./balance-after.ts";
import { newReference } from "./new-reference.ts";

interface CreditDialogProps {
  readonly of: Account;
  readonly onClose: () => void;
}

export function GrantCredit(props: CreditDialogProps): ReactNode {
  return <CreditDialog {...props} operation="grantCredit" title="Grant credit to" action="Grant" />;
}

/** Corrects the credit up or down. The wrong entry stays in the ledger, followed by this correction. */
export function AdjustCredit(props: CreditDialogProps): ReactNode {
  return <CreditDialog {...props} operation="adjustCredit" title="Adjust credit of" action="Adjust" />;
}

interface CreditActionProps extends CreditDialogProps {
  readonly operation: "grantCredit" | "adjustCredit";
  readonly title: string;
  readonly action: string;
}

const FIELDS = ["amount", "reason", "reference"] as const;

function CreditDialog({ of, onClose, operation, title, action }: CreditActionProps): ReactNode {
  const change = useApiMutation(operation);
  const isGrant = operation === "grantCredit";
  const [typed, setTyped] = useState("");
  const after = balanceAfter(of, typed);
  const submit = (form: HTMLFormElement): void => {
    const body = formFields(form, ...FIELDS);
    const done = (): void => {
      toast(isGrant ? `Credit granted to ${of.id}.` : `Credit of ${of.id} adjusted.`);
      onClose();
    };
    change.mutate({ path: { id: of.id }, body }, { onSuccess: done });
  };
  return (
    <FormDialog
      title={`${title} “${of.name}”`}
      action={after?.isDeduction ? `Deduct ${after.amount} from ${of.id}` : action}
      weight={after?.isDeduction ? "danger" : "primary"}
      change={change}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      <AmountField isGrant={isGrant} typed={typed} onType={setTyped} error={change.error} />
      <ReasonFields error={change.error} />
      {after && <Notice tone={after.tone}>{after.text}</Notice>}
    </FormDialog>
  );
}

interface AmountFieldProps {
  readonly isGrant: boolean;
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly error: Error | null;
}

function AmountField({ isGrant, typed, onType, error }: AmountFieldProps): ReactNode {
  return (
    <FigureField
      label="Amount (USD)"
      name="amount"
      required
      autoFocus
      pattern={isGrant ? String.raw`\d{1,9}(\.\d{1,9})?` : String.raw`-?\d{1,9}(\.\d{1,9})?`}
      title="Dollars, such as 25 or 12.50"
      hint={isGrant ? undefined : "Use a negative amount to deduct credit, such as -5."}
      error={refusalAt(error, "amount")}
      value={typed}
      onChange={({ target }) => onType(target.value)}
    />
  );
}

function ReasonFields({ error }: { readonly error: Error | null }): ReactNode {
  const [reference] = useState(newReference);
  return (
    <>
      <TextField
        label="Reason"
        name="reason"
        required
        maxLength={200}
        hint="Shown in the ledger entries, which members can see."
        error={refusalAt(error, "reason")}
      />
      <TextField
        label="Reference"
        name="reference"
        required
        maxLength={200}
        defaultValue={reference}
        hint="Makes retries safe: a second entry with the same reference is not added. Use your own, such as an invoice number, if you have one."
        error={refusalAt(error, "reference")}
      />
    </>
  );
}
