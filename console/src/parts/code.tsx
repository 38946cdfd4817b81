import type { ReactNode } from "react";
import { CopyIcon } from "./copy.tsx";

/** A code block with a copy button. */
export function Code({
  text,
  label,
  onCopied,
}: {
  readonly text: string;
  readonly label: string;
  readonly onCopied?: () => void;
}): ReactNode {
  return (
    <div className="flex min-w-0 items-start rounded-md border border-line bg-sunken">
      <pre tabIndex={0} aria-label={label} className="max-h-96 min-w-0 grow overflow-auto px-3 py-2.5 font-mono text-sm">
        {text}
      </pre>
      <div className="shrink-0 p-1">
        <CopyIcon text={text} label={`Copy ${label}`} {...(onCopied && { onCopied })} />
      </div>
    </div>
  );
}

/** Inline code: an ID, a name or a value. */
export function Mono({ children }: { readonly children: ReactNode }): ReactNode {
  return <code className="font-mono text-[0.92em] wrap-anywhere">{children}</code>;
}
