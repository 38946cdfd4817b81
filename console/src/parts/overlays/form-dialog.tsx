import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button, type Weight } from "../button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "./dialog.tsx";
import { Notice } from "../notice.tsx";
import { refusalBeside } from "../refusal.ts";

interface FormDialogProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly wide?: boolean;
  /** The submit button's label. */
  readonly action: ReactNode;
  /** The submit button's style: red for destructive actions. */
  readonly weight?: Weight;
  /** False while the form has nothing to submit. */
  readonly canSubmit?: boolean;
  /** Whether a preview is loading, which can be cancelled. */
  readonly busy?: boolean;
  readonly change: Pick<UseMutationResult, "isPending" | "error">;
  /** The fields that show their own errors. Any other error is shown below the form. */
  readonly fields?: readonly string[];
  readonly onSubmit: (form: HTMLFormElement) => void;
  readonly onClose: () => void;
  /** In the second step: returns to the first step. */
  readonly onBack?: (() => void) | undefined;
  readonly children: ReactNode;
}

/** A dialog with a form. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { title, about, wide = false, action, weight = "primary", canSubmit = true, busy = false, change, fields = [], children } = props;
  const formError = refusalBeside(change.error, fields);
  return (
    <Dialog open onClose={props.onClose} title={title} about={about} wide={wide}>
      <form
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (canSubmit && !busy && !change.isPending) props.onSubmit(event.currentTarget);
        }}
      >
        <DialogBody>
          {children}
          {formError && <Notice tone="bad">{formError}</Notice>}
        </DialogBody>
        <DialogFooter>
          <Cancel onClick={props.onBack ?? props.onClose}>{props.onBack ? "Back" : "Cancel"}</Cancel>
          <Button type="submit" weight={weight} busy={busy || change.isPending} disabled={!canSubmit}>
            {action}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
