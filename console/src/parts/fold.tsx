import { ChevronRight } from "lucide-react";
import { useState, type ReactNode } from "react";

interface FoldProps {
  readonly title: ReactNode;
  /** A summary of the content, on the right. */
  readonly note?: ReactNode;
  /** The initial state. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** A collapsible section. */
export function Fold({ title, note, isOpen = false, children }: FoldProps): ReactNode {
  const [isOpenAtFirst] = useState(isOpen);
  return (
    <details open={isOpenAtFirst} className="group min-w-0">
      <summary className="flex min-h-8 list-none items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} className="shrink-0 text-ink-3 transition-transform group-open:rotate-90" aria-hidden />
        <span>{title}</span>
        {note && <span className="ml-auto min-w-0 truncate text-sm font-normal text-ink-3">{note}</span>}
      </summary>
      <div className="pt-2 pb-1">{children}</div>
    </details>
  );
}
