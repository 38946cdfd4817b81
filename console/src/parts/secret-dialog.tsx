import { useBlocker } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogBody, DialogFooter } from "./dialog.tsx";
import { CheckField } from "./field.tsx";
import { Notice } from "./notice.tsx";
import { SecretField } from "./secret-field.tsx";

interface SecretDialogProps {
  readonly title: string;
  /** What it is, after "the": "token". */
  readonly noun: string;
  /** Null where it was in a reply that never came here, and what was made is shown again. */
  readonly secret: string | null;
  /** How to come by another one then. */
  readonly remedy: string;
  readonly onClose: () => void;
  /** What one does with it; given `onCopied` where there is something to copy that has the secret in it. */
  readonly children?: ReactNode | ((onCopied: () => void) => ReactNode);
  /** Beside the way out. */
  readonly actions?: ReactNode;
}

/** Shows a secret the only time that it can be, or says that it cannot be shown any more. */
export function SecretDialog({ secret, remedy, ...rest }: SecretDialogProps): ReactNode {
  if (secret !== null) return <NewSecret {...rest} secret={secret} />;
  const { title, noun, onClose } = rest;
  return (
    <Dialog open onClose={onClose} title={title}>
      <DialogBody>
        <AlreadyCreated noun={noun} remedy={remedy} />
      </DialogBody>
      <DialogFooter>
        <Button weight="primary" onClick={onClose}>
          Done
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

/** What was made by an earlier try, whose reply was lost on the way. */
export function AlreadyCreated({ noun, remedy }: Pick<SecretDialogProps, "noun" | "remedy">): ReactNode {
  return (
    <Notice tone="warn" title="It was made before, and nothing was made now.">
      The {noun} was in the first reply, which did not come through, and is not shown again. {remedy}
    </Notice>
  );
}

type NewSecretProps = Omit<SecretDialogProps, "secret" | "remedy"> & { readonly secret: string };

/** Until it was copied, or whoever made it says that it is kept, nothing closes this. */
function NewSecret({ title, noun, secret, onClose, children, actions }: NewSecretProps): ReactNode {
  const [isKept, setKept] = useState(false);
  useBlocker({ shouldBlockFn: () => !isKept, enableBeforeUnload: () => !isKept });
  const keep = (): void => setKept(true);
  return (
    <Dialog open onClose={onClose} title={title} canClose={isKept} wide>
      <DialogBody>
        <SecretField noun={noun} secret={secret} onCopied={keep} />
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
