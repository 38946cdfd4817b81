import { ChevronRight } from "lucide-react";
import { useState, type ReactNode } from "react";

interface FoldProps {
  readonly title: ReactNode;
  /** A summary of the content, on the right. */
  readonly note?: ReactNode;
  /** The initial state. */
  readonly isOpen?: boolean;
  /** Opens it, to show an error inside. */
  readonly hasError?: boolean;
  readonly children: ReactNode;
}

/** A collapsible section. */
export function Fold({ title, note, isOpen = false, hasError = false, children }: FoldProps): ReactNode {
  const [wasOpened, setWasOpened] = useState(isOpen);
  if (hasError && !wasOpened) setWasOpened(true);
  return (
    <details open={wasOpened} className="group min-w-0">
      <summary className="flex min-h-8 list-none items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} className="shrink-0 text-ink-3 transition-transform group-open:rotate-90" aria-hidden />
        <span>{title}</span>
        {note && <span className="ml-auto min-w-0 truncate text-sm font-normal text-ink-3">{note}</span>}
      </summary>
      <div className="pt-2 pb-1">{children}</div>
    </details>
  );
}
