import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { FigureField, TextField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { toast } from "../../parts/toasts.tsx";
import type { Account } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { balanceAfter } from "./balance-after.ts";

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

function CreditDialog({ of, onClose, operation, title, action }: Doing): ReactNode {
  const change = useChange(operation);
  const isGrant = operation === "grantCredit";
  const [typed, setTyped] = useState("");
  const beside = refusalBeside(change.error, ["amount", "reason", "reference"]);
  const after = balanceAfter(of.available, typed);
  const submit = (form: HTMLFormElement): void => {
    const body = formFields(form, "amount", "reason", "reference");
    const done = (): void => {
      toast(isGrant ? `Credit was granted to ${of.id}.` : `The credit of ${of.id} was adjusted.`);
      onClose();
    };
    change.mutate({ path: { id: of.id }, body }, { onSuccess: done });
  };
  return (
    <Dialog open onClose={onClose} title={`${title} “${of.name}”`}>
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          submit(event.currentTarget);
        }}
      >
        <DialogBody>
          <FigureField
            label="Amount in dollars"
            name="amount"
            required
            autoFocus
            pattern={isGrant ? String.raw`\d{1,9}(\.\d{1,9})?` : String.raw`-?\d{1,9}(\.\d{1,9})?`}
            title="Dollars, such as 25 or 12.50"
            hint={isGrant ? undefined : "With a minus in front it is taken away, such as -5."}
            error={refusalAt(change.error, "amount")}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <TextField
            label="Reason"
            name="reason"
            required
            maxLength={200}
            hint="Why. It stands in the entries, where members see it."
            error={refusalAt(change.error, "reason")}
          />
          <TextField
            label="Reference"
            name="reference"
            required
            maxLength={200}
            hint="Your own name for it, such as an invoice number. The same one again adds nothing, so it is safe to try again."
            error={refusalAt(change.error, "reference")}
          />
          {after && <Notice tone={after.tone}>{after.words}</Notice>}
          {beside && <Notice tone="bad">{beside}</Notice>}
        </DialogBody>
        <DialogFooter>
          <Cancel onClick={onClose} />
          <Button type="submit" weight={after?.takes ? "danger" : "primary"} busy={change.isPending}>
            {after?.takes ? `Take ${after.amount} from ${of.id}` : action}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
