import type { ReactNode } from "react";
import { CopyButton } from "../copy.tsx";
import { Notice } from "../notice.tsx";

interface SecretFieldProps {
  /** The kind of secret: "key", "token", "link". */
  readonly noun: string;
  readonly secret: string;
  readonly onCopied?: () => void;
}

/** A new secret with a copy button. */
export function SecretField({ noun, secret, onCopied }: SecretFieldProps): ReactNode {
  return (
    <>
      <Notice tone="warn" title={`This ${noun} is shown only once.`}>
        Copy it now and store it in a safe place.
      </Notice>
      <div className="flex flex-col gap-2 sm:flex-row sm:items-center">
        <output
          aria-label={`New ${noun}`}
          className="min-w-0 flex-1 rounded-md border border-line bg-sunken px-3 py-1.5 font-mono text-sm break-all select-all"
        >
          {secret}
        </output>
        <CopyButton primary text={secret} {...(onCopied && { onCopied })}>
          Copy {noun}
        </CopyButton>
      </div>
    </>
  );
}
