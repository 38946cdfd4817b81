import type { ReactNode } from "react";
import { Button } from "../parts/button.tsx";

interface ChartPlaceholderProps {
  readonly text?: string;
  readonly error?: Error | null;
  readonly retry?: () => void;
}

/** Shown instead of a chart, at the same size: a message, an error, or a loading state without either. */
export function ChartPlaceholder({ text, error, retry }: ChartPlaceholderProps): ReactNode {
  if (!text && !error) return <div role="status" aria-label="Loading" className="skeleton mx-2 h-[calc(100%-0.5rem)] opacity-50" />;
  return (
    <div role={error ? "alert" : undefined} className="flex h-full flex-col items-center justify-center gap-2 px-6 text-center text-ink-3">
      <p className="max-w-sm break-words">{error?.message ?? text}</p>
      {error && retry && (
        <Button small onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}
