import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button, type Weight } from "./button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "./dialog.tsx";
import { Notice } from "./notice.tsx";
import { refusalBeside } from "./refusal.ts";

interface FormDialogProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly wide?: boolean;
  /** What the button says. */
  readonly action: ReactNode;
  /** Of the button: red where something is lost by it. */
  readonly weight?: Weight;
  /** False while there is nothing to send. */
  readonly canSubmit?: boolean;
  /** It is being looked at what would come of it: that can be broken off. */
  readonly busy?: boolean;
  readonly change: Pick<UseMutationResult, "isPending" | "error">;
  /** The fields that show what the platform has against them. Whatever else it says stands below them. */
  readonly fields?: readonly string[];
  readonly onSubmit: (form: HTMLFormElement) => void;
  readonly onClose: () => void;
  /** In a second step: the way to the first. */
  readonly onBack?: (() => void) | undefined;
  readonly children: ReactNode;
}

/** Something that is typed and sent. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { title, about, wide = false, action, weight = "primary", canSubmit = true, busy = false, change, fields = [], children } = props;
  const wrong = refusalBeside(change.error, fields);
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
          {wrong && <Notice tone="bad">{wrong}</Notice>}
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
