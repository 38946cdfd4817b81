import type { ReactNode } from "react";
import { classes } from "./classes.ts";

interface MeterProps {
  /** The measured quantity, and its value as text. */
  readonly label: string;
  readonly text: string;
  /** From 0 to 1; undefined without a limit. */
  readonly share: number | undefined;
}

/** A usage bar with its value as text. */
export function Meter({ label, text, share }: MeterProps): ReactNode {
  return (
    <div>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span>{label}</span>
        <span className="figures text-sm text-ink-2">{text}</span>
      </div>
      {share !== undefined && (
        <div
          role="meter"
          aria-label={label}
          aria-valuenow={Math.round(share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuetext={text}
          className="mt-1 h-1.5 overflow-hidden rounded-sm bg-line"
        >
          <div
            className={classes("h-full rounded-sm", share >= 1 ? "bg-bad" : share >= 0.8 ? "bg-warn" : "bg-accent")}
            style={{ width: `${share * 100}%` }}
          />
        </div>
      )}
    </div>
  );
}
