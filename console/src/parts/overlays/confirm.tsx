import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button, type Weight } from "../button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "./dialog.tsx";
import { Notice } from "../notice.tsx";

interface ConfirmProps {
  readonly open: boolean;
  readonly onClose: () => void;
  /** Names the action and the resource: "Revoke key “ci”?" */
  readonly title: string;
  /** The button's label: the same verb. */
  readonly action: string;
  /** The button's style: red, unless the action is harmless. */
  readonly weight?: Weight;
  readonly children: ReactNode;
  readonly change: Pick<UseMutationResult, "isPending" | "error">;
  readonly onConfirm: () => void;
}

/** A confirmation dialog. */
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
