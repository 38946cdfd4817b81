import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import type { Tone } from "./notice.tsx";

const TONES: Record<Tone, string> = {
  plain: "bg-sunken text-ink-2",
  good: "bg-good-fill text-good",
  warn: "bg-warn-fill text-warn",
  bad: "bg-bad-fill text-bad",
};

/** A state as text. Colour is never the only signal (WCAG 1.4.1). */
export function Badge({
  tone = "plain",
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span
      title={title}
      className={classes(
        "inline-flex h-5 items-center align-middle gap-1 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
