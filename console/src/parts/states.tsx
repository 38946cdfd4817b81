import type { UseQueryResult } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "../platform/call.ts";
import { Button } from "./button.tsx";

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** The next step, such as a create button. */
  readonly action?: ReactNode;
}

/** An empty state: the reason and the next step. */
export function Empty({ title, children, action }: EmptyProps): ReactNode {
  return (
    <div className="flex flex-col items-center gap-1 px-6 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-md text-ink-3">{children}</div>}
      {action && <div className="mt-3 flex gap-2">{action}</div>}
    </div>
  );
}

/** A fetch error: the platform's message and a retry button. */
export function Failed({ error, retry }: { readonly error: Error; readonly retry?: () => void }): ReactNode {
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <div role="alert" className="flex flex-col items-center gap-1 px-6 py-12 text-center">
      <p className="font-medium">{isMissing ? "Not found" : "Failed to load"}</p>
      <p className="max-w-md break-words text-ink-3">{error.message}</p>
      {error instanceof ApiError && error.requestId && (
        <p className="text-xs break-words text-ink-3">
          Request ID of this error: <span className="font-mono">{error.requestId}</span>
        </p>
      )}
      {retry && !isMissing && (
        <Button className="mt-3" onClick={retry}>
          <RotateCw size={14} aria-hidden />
          Try again
        </Button>
      )}
    </div>
  );
}

/** A loading skeleton. */
export function Loading({ lines = 5 }: { readonly lines?: number }): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 px-4 py-4">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="skeleton h-4" style={{ width: `${90 - ((line * 17) % 45)}%` }} />
      ))}
    </div>
  );
}

/** Renders fetched data, or the loading or error state. */
export function Fetched<T>({
  of,
  lines,
  children,
}: {
  readonly of: UseQueryResult<T>;
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}): ReactNode {
  if (of.data !== undefined) return children(of.data);
  if (of.error) return <Failed error={of.error} retry={() => void of.refetch()} />;
  return <Loading {...(lines !== undefined && { lines })} />;
}
