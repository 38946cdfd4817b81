import { useBlocker } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import { Dialog, DialogBody, DialogFooter } from "./dialog.tsx";
import { CheckField } from "./field.tsx";
import { Notice } from "./notice.tsx";

interface OnceDialogProps {
  readonly title: string;
  /** What it is, after "the": "token". */
  readonly noun: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** What one does with it. */
  readonly children?: ReactNode;
}

/** Shows a secret the only time that it can be. Until it was copied, or whoever made it says that it is kept, nothing closes this. */
export function OnceDialog({ title, noun, secret, onClose, children }: OnceDialogProps): ReactNode {
  const [isKept, setKept] = useState(false);
  useBlocker({ shouldBlockFn: () => !isKept, enableBeforeUnload: () => !isKept });
  return (
    <Dialog open onClose={onClose} title={title} canClose={isKept} wide>
      <DialogBody>
        <Notice tone="warn" title={`This is the only time that the ${noun} is shown.`}>
          Copy it now and keep it where secrets are kept.
        </Notice>
        <div className="flex flex-col gap-2 sm:flex-row sm:items-center">
          <output
            aria-label={`The ${noun}`}
            className="min-w-0 flex-1 rounded-md border border-line bg-sunken px-3 py-1.5 font-mono text-sm break-all select-all"
          >
            {secret}
          </output>
          <CopyButton primary text={secret} onCopied={() => setKept(true)}>
            Copy the {noun}
          </CopyButton>
        </div>
        {children}
      </DialogBody>
      <DialogFooter>
        <CheckField label="I have kept it" className="mr-auto" checked={isKept} onChange={({ target }) => setKept(target.checked)} />
        <Button weight="primary" disabled={!isKept} onClick={onClose}>
          Done
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
