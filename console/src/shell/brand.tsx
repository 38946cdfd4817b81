import type { ReactNode } from "react";

/** The logo: a toll gate's half-open barrier, and the name. */
export function Brand(): ReactNode {
  return (
    <span className="flex items-center gap-2 font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" className="size-6" aria-hidden>
        <rect width="32" height="32" rx="8" className="fill-accent-fill" />
        <path d="M9 25V15M9 17 25 8M6 25h6" className="stroke-on-accent" strokeWidth="3" strokeLinecap="round" fill="none" />
      </svg>
      Tollgate
    </span>
  );
}
