import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button, type Weight } from "./button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "./dialog.tsx";
import { Notice } from "./notice.tsx";

interface ConfirmProps {
  readonly open: boolean;
  readonly onClose: () => void;
  /** What would be done to what, by its name: "Revoke the key “ci”?" */
  readonly title: string;
  /** What the button says: the same verb. */
  readonly action: string;
  /** Of the button: red, unless nothing is lost by it. */
  readonly weight?: Weight;
  readonly children: ReactNode;
  readonly change: Pick<UseMutationResult, "isPending" | "error">;
  readonly onConfirm: () => void;
}

/** Asks before something is done that cannot be undone. */
export function Confirm({ open, onClose, title, action, weight = "danger", children, change, onConfirm }: ConfirmProps): ReactNode {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <DialogBody>
        <div className="text-ink-2">{children}</div>
        {change.error && <Notice tone="bad">{change.error.message}</Notice>}
      </DialogBody>
      <DialogFooter>
        <Cancel onClick={onClose} />
        <Button weight={weight} busy={change.isPending} onClick={onConfirm}>
          {action}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
