import { useBlocker } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogBody, DialogFooter } from "./dialog.tsx";
import { CheckField } from "./field.tsx";
import { SecretOnce } from "./secret-once.tsx";

interface OnceDialogProps {
  readonly title: string;
  /** What it is, after "the": "token". */
  readonly noun: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** What one does with it; given `onCopied` where there is something to copy that has the secret in it. */
  readonly children?: ReactNode | ((onCopied: () => void) => ReactNode);
  /** Beside the way out. */
  readonly actions?: ReactNode;
}

/** Shows a secret the only time that it can be. Until it was copied, or whoever made it says that it is kept, nothing closes this. */
export function OnceDialog({ title, noun, secret, onClose, children, actions }: OnceDialogProps): ReactNode {
  const [isKept, setKept] = useState(false);
  useBlocker({ shouldBlockFn: () => !isKept, enableBeforeUnload: () => !isKept });
  const keep = (): void => setKept(true);
  return (
    <Dialog open onClose={onClose} title={title} canClose={isKept} wide>
      <DialogBody>
        <SecretOnce noun={noun} secret={secret} onCopied={keep} />
        {typeof children === "function" ? children(keep) : children}
      </DialogBody>
      <DialogFooter>
        <CheckField label="I have kept it" className="mr-auto" checked={isKept} onChange={({ target }) => setKept(target.checked)} />
        {actions}
        <Button weight="primary" disabled={!isKept} onClick={onClose}>
          Done
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
