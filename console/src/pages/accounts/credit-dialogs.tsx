import { useState, type ReactNode } from "react";
import { FigureField, TextField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/toasts.tsx";
import type { Account } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { balanceAfter } from "./balance-after.ts";
import { newReference } from "./new-reference.ts";

interface CreditDialogProps {
  readonly of: Account;
  readonly onClose: () => void;
}

export function GrantCredit(props: CreditDialogProps): ReactNode {
  return <CreditDialog {...props} operation="grantCredit" title="Grant credit to" action="Grant" />;
}

/** Puts the credit right, up or down: what was entered wrongly stays in the entries, and this stands beside it. */
export function AdjustCredit(props: CreditDialogProps): ReactNode {
  return <CreditDialog {...props} operation="adjustCredit" title="Adjust the credit of" action="Adjust" />;
}

interface Doing extends CreditDialogProps {
  readonly operation: "grantCredit" | "adjustCredit";
  readonly title: string;
  readonly action: string;
}

const FIELDS = ["amount", "reason", "reference"] as const;

function CreditDialog({ of, onClose, operation, title, action }: Doing): ReactNode {
  const change = useChange(operation);
  const isGrant = operation === "grantCredit";
  const [typed, setTyped] = useState("");
  const after = balanceAfter(of.available, typed);
  const submit = (form: HTMLFormElement): void => {
    const body = formFields(form, ...FIELDS);
    const done = (): void => {
      toast(isGrant ? `Credit was granted to ${of.id}.` : `The credit of ${of.id} was adjusted.`);
      onClose();
    };
    change.mutate({ path: { id: of.id }, body }, { onSuccess: done });
  };
  return (
    <FormDialog
      title={`${title} “${of.name}”`}
      action={after?.takes ? `Take ${after.amount} from ${of.id}` : action}
      weight={after?.takes ? "danger" : "primary"}
      change={change}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      <AmountField isGrant={isGrant} typed={typed} onType={setTyped} error={change.error} />
      <ReasonFields error={change.error} />
      {after && <Notice tone={after.tone}>{after.words}</Notice>}
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
      label="Amount in dollars"
      name="amount"
      required
      autoFocus
      pattern={isGrant ? String.raw`\d{1,9}(\.\d{1,9})?` : String.raw`-?\d{1,9}(\.\d{1,9})?`}
      title="Dollars, such as 25 or 12.50"
      hint={isGrant ? undefined : "With a minus in front it is taken away, such as -5."}
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
        hint="Why. It stands in the entries, where members see it."
        error={refusalAt(error, "reason")}
      />
      <TextField
        label="Reference"
        name="reference"
        required
        maxLength={200}
        defaultValue={reference}
        hint="A name for it, or one of your own, such as an invoice number. The same one again adds nothing, so it is safe to try again."
        error={refusalAt(error, "reference")}
      />
    </>
  );
}
