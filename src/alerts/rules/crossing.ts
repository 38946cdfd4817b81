import type { Finding, Mark } from "../../stores/alerts/alert-store.ts";
import type { Alert } from "../alert.ts";

export type Marks = ReadonlyMap<string, Mark>;

/** The finding for one subject, without its recipients. */
export type SubjectFinding = Omit<Finding, "webhookIds">;

/** A condition and its subject. Another value, such as another period, makes it a new condition, for which an alert is raised again. */
interface Condition {
  readonly subject: string;
  readonly isMet: boolean;
  readonly value: string;
}

/**
 * Threshold crossing: raises an alert when a condition becomes true, and again only after the condition was false in between. Alerted
 * conditions are stored as marks, which survive a restart. When `createAlert` returns nothing, the condition is only marked.
 */
export function crossing(
  { subject, isMet, value }: Condition,
  marks: Marks,
  nowMs: number,
  createAlert: () => Alert | undefined,
): SubjectFinding[] {
  const mark = marks.get(subject);
  if (!isMet) return mark ? [clearedMark(subject)] : [];
  if (mark?.value === value) return [];
  const alert = createAlert();
  return [{ subject, mark: { value, atMs: nowMs }, ...(alert && { alert }) }];
}

/**
 * Whether the last alert is recent. A mark in the future was set by a clock that was ahead, and must not suppress alerts until that time.
 */
export function isQuiet({ atMs }: Mark, nowMs: number, quietMs: number): boolean {
  return atMs <= nowMs && nowMs - atMs < quietMs;
}

export function clearedMark(subject: string): SubjectFinding {
  return { subject, mark: undefined };
}
