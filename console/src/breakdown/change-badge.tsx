import type { ReactNode } from "react";
import { count, toTenths } from "../parts/format/format.ts";

interface ChangeBadgeProps {
  readonly now: number;
  readonly before: number;
  /** The value of the previous period, formatted. */
  readonly was: string;
  /** The dates of the previous period. */
  readonly dates: string;
}

/** The change against the previous period. Neither direction is good or bad for all measures, so it has no colour. */
export function ChangeBadge({ now, before, was, dates }: ChangeBadgeProps): ReactNode {
  return (
    <span className="text-sm font-normal text-ink-2" title={`Previous period: ${dates}`}>
      {changeOf(now, before)}, was {was}
      <span className="sr-only"> in the previous period, {dates}</span>
    </span>
  );
}

/** In percent of the value before. */
export function changeOf(now: number, before: number): string {
  if (before === 0) return now === 0 ? "unchanged" : "none before";
  const percent = ((now - before) / Math.abs(before)) * 100;
  if (Math.abs(percent) < 0.05) return "unchanged";
  const size = Math.abs(percent);
  if (percent >= 1000) return "▲ more than tenfold";
  return `${percent > 0 ? "▲ +" : "▼ −"}${size < 9.95 ? toTenths(size) : count(Math.round(size))}%`;
}
