import type { Page } from "../../list-command.ts";
import { terminalWidth } from "../../output.ts";
import { inCount, inDollars } from "../../words.ts";
import { wrap } from "../../wrap.ts";

export interface MeasuresView {
  readonly requests: number;
  readonly failed: number;
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly completion_tokens: number;
  readonly cost: string;
}

export interface UsageRowView extends MeasuresView {
  readonly hour?: string;
  readonly day?: string;
  readonly is_partial?: boolean;
  readonly model?: string;
  readonly key?: string;
  readonly account?: string;
  readonly upstream?: string | null;
}

export interface UsagePageView extends Page<UsageRowView> {
  readonly zone: string;
  readonly from: string;
  readonly to: string;
  readonly total: MeasuresView;
}

/** What `by` can say. */
export const GROUPS = ["hour", "day", "model", "key", "account", "upstream"] as const;
export type Group = (typeof GROUPS)[number];

/** What a row is about, in one respect. */
export function nameOf(row: UsageRowView, group: Group): string {
  return row[group] ?? "(none)";
}

/** What it comes to, of when, and by whose clock. */
export function summarize({ total, from, to, zone }: UsagePageView): string {
  const failed = total.failed === 0 ? "" : `, ${total.failed.toLocaleString("en-US")} failed`;
  const sentence = `In all ${inCount(total.requests, "request")}${failed}, ${inDollars(total.cost)}, from ${inZone(from, zone)} to ${inZone(to, zone)}, ${zone}.`;
  return wrap(sentence, terminalWidth() ?? Infinity)
    .map((line) => `${line}\n`)
    .join("");
}

function inZone(moment: string, timeZone: string): string {
  return new Date(moment).toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
}
