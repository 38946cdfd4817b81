import { TIMEOUTS, type Timeout } from "../../../../../src/models/timeouts.ts";
import type { Timeouts } from "../../../../../platform-client/types.ts";

type TimeoutName = Timeout["field"];

/** Timeouts in a form, in milliseconds. Empty if no timeout is set. */
export type TimeoutsDraft = Readonly<Record<TimeoutName, string>>;

export function timeoutsDraftOf(timeouts: Timeouts | null | undefined): TimeoutsDraft {
  return Object.fromEntries(TIMEOUTS.map(({ field }) => [field, String(timeouts?.[field] ?? "")])) as TimeoutsDraft;
}

/** The edited timeouts; a cleared timeout is null. */
export function editedTimeouts(draft: TimeoutsDraft, before: TimeoutsDraft): Readonly<Partial<Record<TimeoutName, number | null>>> {
  const edited = TIMEOUTS.filter(({ field }) => draft[field].trim() !== before[field]);
  return Object.fromEntries(edited.map(({ field }) => [field, draft[field].trim() === "" ? null : parseInteger(draft[field])]));
}

/** Parses an integer. Other text is sent unchanged, and the server returns the error message. */
export function parseInteger(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : (text as unknown as number);
}
