import type { Finding, Mark } from "../../stores/alerts/alert-store.ts";
import type { Alert } from "../alert.ts";

export type Marks = ReadonlyMap<string, Mark>;

/** What was found of one subject; whom to tell is not known here. */
export type Found = Omit<Finding, "webhookIds">;

/** Something that is so, or is not, and what it is about: of another period it is another, to be told anew. */
export interface Condition {
  readonly subject: string;
  readonly isSo: boolean;
  readonly value: string;
}

/**
 * What a look makes of a condition: it is told when it begins, and not again before it was over in between. What has been told is
 * in the marks, which outlive the process. Where `tell` gives nothing, it is only marked.
 */
export function crossing({ subject, isSo, value }: Condition, marks: Marks, nowMs: number, tell: () => Alert | undefined): Found[] {
  const mark = marks.get(subject);
  if (!isSo) return mark ? [over(subject)] : [];
  if (mark?.value === value) return [];
  const alert = tell();
  return [{ subject, mark: { value, atMs: nowMs }, ...(alert && { alert }) }];
}

export function over(subject: string): Found {
  return { subject, mark: undefined };
}
