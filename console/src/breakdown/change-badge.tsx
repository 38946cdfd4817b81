import type { ReactNode } from "react";

interface ChangeBadgeProps {
  readonly now: number;
  readonly before: number;
  /** The value of the previous period, formatted, with its dates. */
  readonly title: string;
}

/** The change against the previous period. Neither direction is good or bad for all measures, so it has no colour. */
export function ChangeBadge({ now, before, title }: ChangeBadgeProps): ReactNode {
  return (
    <span className="text-sm font-normal text-ink-2" title={title}>
      {changeOf(now, before)}
      <span className="sr-only">. {title}</span>
    </span>
  );
}

/** In percent of the value before. */
export function changeOf(now: number, before: number): string {
  if (before === 0) return now === 0 ? "unchanged" : "none before";
  const percent = ((now - before) / Math.abs(before)) * 100;
  if (Math.abs(percent) < 0.05) return "unchanged";
  const size = Math.abs(percent);
  const digits = size >= 1000 ? "> 1,000" : size.toFixed(size < 10 ? 1 : 0);
  return `${percent > 0 ? "▲ +" : "▼ −"}${digits}%`;
}
