import { X } from "lucide-react";
import type { ReactNode } from "react";

/** An active filter with a remove button. */
export function Chip({
  name,
  value,
  onRemove,
}: {
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
}): ReactNode {
  return (
    <span className="inline-flex h-6 max-w-full items-center rounded-full border border-line bg-surface pl-2.5 text-sm">
      <span className="text-ink-3">{name}</span>
      <span className="ml-1 max-w-56 truncate" title={value}>
        {value}
      </span>
      <button
        type="button"
        aria-label={`Remove filter ${name} ${value}`}
        onClick={onRemove}
        className="ml-0.5 flex size-6 shrink-0 items-center justify-center rounded-full text-ink-3 hover:text-ink"
      >
        <X size={12} aria-hidden />
      </button>
    </span>
  );
}
