import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { classes } from "../../parts/classes.ts";

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** A collapsible step of the guide. */
export function Step({ number, title, isDone, isOpen, onToggle, children }: StepProps): ReactNode {
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)} className="group card min-w-0">
      <summary className="flex list-none items-center gap-3 px-4 py-3.5 [&::-webkit-details-marker]:hidden">
        <span
          aria-hidden
          className={classes(
            "figures flex size-6 shrink-0 items-center justify-center rounded-full text-sm font-medium",
            isDone ? "bg-good-fill text-good" : isOpen ? "bg-accent-fill text-on-accent" : "bg-sunken text-ink-2",
          )}
        >
          {isDone ? <Check size={14} /> : number}
        </span>
        <h2 className="min-w-0 flex-1 font-semibold">{title}</h2>
        {isDone && <Badge tone="good">done</Badge>}
        <ChevronDown size={16} className="shrink-0 text-ink-3 transition-transform group-open:rotate-180" aria-hidden />
      </summary>
      <div className="flex flex-col gap-4 border-t border-line px-4 py-4">{children}</div>
    </details>
  );
}
