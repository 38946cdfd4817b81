import type { ReactNode } from "react";
import { classes } from "./classes.ts";

interface MeterProps {
  /** What is measured, and how much of it there is, in words. */
  readonly label: string;
  readonly words: string;
  /** From 0 to 1; undefined where there is no bound to measure against. */
  readonly share: number | undefined;
}

/** How much of something is used up: the words say it, the bar shows it. */
export function Meter({ label, words, share }: MeterProps): ReactNode {
  return (
    <div>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span>{label}</span>
        <span className="figures text-sm text-ink-2">{words}</span>
      </div>
      {share !== undefined && (
        <div
          role="meter"
          aria-label={label}
          aria-valuenow={Math.round(share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuetext={words}
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
