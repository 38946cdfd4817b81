import { useBlocker } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Button } from "../button.tsx";
import { Dialog, DialogBody, DialogFooter } from "./dialog.tsx";
import { CheckField } from "../inputs/field.tsx";
import { Notice } from "../notice.tsx";
import { SecretField } from "../inputs/secret-field.tsx";

interface SecretDialogProps {
  readonly title: string;
  /** The kind of secret: "key", "token", "link". */
  readonly noun: string;
  /** Null if a retried request returned the existing resource: the response with the secret was lost. */
  readonly secret: string | null;
  /** How to get a new secret in this case. */
  readonly remedy: string;
  readonly onClose: () => void;
  /** Usage instructions; a function receives `onCopied` for code blocks that contain the secret. */
  readonly children?: ReactNode | ((onCopied: () => void) => ReactNode);
  /** Buttons beside Done. */
  readonly actions?: ReactNode;
}

/** Shows a new secret once, or explains that it can no longer be shown. */
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

/** The resource was created by an earlier attempt whose response was lost. */
export function AlreadyCreated({ noun, remedy }: Pick<SecretDialogProps, "noun" | "remedy">): ReactNode {
  return (
    <Notice tone="warn" title="Already created: nothing new was created.">
      The {noun} was in the first response, which did not arrive. It is shown only once. {remedy}
    </Notice>
  );
}

type NewSecretProps = Omit<SecretDialogProps, "secret" | "remedy"> & { readonly secret: string };

/** Cannot be closed until the secret is copied or the user confirms that it is saved. */
function NewSecret({ title, noun, secret, onClose, children, actions }: NewSecretProps): ReactNode {
  const [isSaved, setSaved] = useState(false);
  useBlocker({ shouldBlockFn: () => !isSaved, enableBeforeUnload: () => !isSaved });
  const markSaved = (): void => setSaved(true);
  return (
    <Dialog open onClose={onClose} title={title} canClose={isSaved} wide>
      <DialogBody>
        <SecretField noun={noun} secret={secret} onCopied={markSaved} />
        {typeof children === "function" ? children(markSaved) : children}
      </DialogBody>
      <DialogFooter>
        <CheckField
          label={`I've saved this ${noun}`}
          className="mr-auto"
          checked={isSaved}
          onChange={({ target }) => setSaved(target.checked)}
        />
        {actions}
        <Button weight="primary" disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
