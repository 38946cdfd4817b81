import type { ReactNode } from "react";
import { CopyButton } from "./copy.tsx";
import { Notice } from "./notice.tsx";

interface SecretFieldProps {
  /** What it is, after "the": "token". */
  readonly noun: string;
  readonly secret: string;
  readonly onCopied?: () => void;
}

/** A secret, the only time that it can be shown. */
export function SecretField({ noun, secret, onCopied }: SecretFieldProps): ReactNode {
  return (
    <>
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
        <CopyButton primary text={secret} {...(onCopied && { onCopied })}>
          Copy the {noun}
        </CopyButton>
      </div>
    </>
  );
}
