import { ChevronRight } from "lucide-react";
import { useState, type ReactNode } from "react";

interface FoldProps {
  readonly title: ReactNode;
  /** Says in a word what is in it while it is closed. */
  readonly note?: ReactNode;
  /** As it begins; the reader decides from then on. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** Something that not everybody wants to see, behind its title. */
export function Fold({ title, note, isOpen = false, children }: FoldProps): ReactNode {
  const [begins] = useState(isOpen);
  return (
    <details open={begins} className="group min-w-0">
      <summary className="flex min-h-8 list-none items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} className="shrink-0 text-ink-3 transition-transform group-open:rotate-90" aria-hidden />
        <span>{title}</span>
        {note && <span className="ml-auto min-w-0 truncate text-sm font-normal text-ink-3">{note}</span>}
      </summary>
      <div className="pt-2 pb-1">{children}</div>
    </details>
  );
}
